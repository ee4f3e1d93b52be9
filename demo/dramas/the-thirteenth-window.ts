import { close, episode, insert, pair, wide, type Drama } from "#demo/story.ts";
import { t } from "#demo/texts.ts";

const snow = { weather: "snow" } as const;

export const theThirteenthWindow: Drama = {
  slug: "the-thirteenth-window",
  title: t("The Thirteenth Window", "La decimotercera ventana", "La treizième fenêtre", "Das dreizehnte Fenster", "A décima terceira janela"),
  synopsis: t(
    "In a snowed-in village, twelve windows light up at dusk. This winter there are thirteen.",
    "En un pueblo aislado por la nieve, doce ventanas se encienden al caer la tarde. Este invierno son trece.",
    "Dans un village sous la neige, douze fenêtres s’allument le soir. Cet hiver, il y en a treize.",
    "Im eingeschneiten Dorf leuchten abends zwölf Fenster. In diesem Winter sind es dreizehn.",
    "Numa aldeia isolada pela neve, doze janelas se acendem ao anoitecer. Neste inverno, são treze.",
  ),
  category: "mystery",
  tags: ["winter", "village", "family"],
  palette: { sky: ["#101d4a", "#3a4f9a", "#b9a8d8"], far: "#4a5c9e", mid: "#2d3a72", near: "#1f2854", ink: "#0c1230", light: "#ffcb6b", accent: "#c8434f" },
  cast: {
    lena: { skin: "#f5d3bc", hair: "#e8c070", style: "braid", cloth: "#c8434f", trim: "#ffffff", outfit: "sweater" },
    otto: { skin: "#e8bb9c", hair: "#e4e4ea", style: "bald", cloth: "#3f5340", trim: "#ffcb6b", outfit: "coat", man: true, old: true, extras: ["beard", "glasses"] },
    stranger: { skin: "#d9a684", hair: "#3d2a22", style: "long", cloth: "#5c4a78", trim: "#b9a8d8", outfit: "robe", extras: ["hood"] },
  },
  poster: { place: "village", layout: "figures", people: [{ who: "lena", mood: "calm" }], words: ["THE", "THIRTEENTH", "WINDOW"], face: "deco", weather: "snow" },
  score: { mood: "wonder", root: 48, tempo: 80 },
  episodes: [
    episode(
      t("Dusk", "Anochecer", "Crépuscule", "Dämmerung", "Anoitecer"),
      wide("village", "lena back .4", snow, t("Every dusk Lena counts the windows. Always twelve.", "Cada tarde, Lena cuenta las ventanas. Siempre doce.", "Chaque soir, Lena compte les fenêtres. Toujours douze.", "Jeden Abend zählt Lena die Fenster. Immer zwölf.", "Toda tarde, Lena conta as janelas. Sempre doze.")),
      close("village", "lena", "worry", snow, t("“Eleven… twelve… thirteen.”", "«Once… doce… trece.»", "« Onze… douze… treize. »", "„Elf … zwölf … dreizehn.“", "“Onze… doze… treze.”")),
      pair("village", ["otto", "calm"], ["lena", "worry"], snow, t("“Count again, child. And don’t point.”", "«Cuenta otra vez, niña. Y no señales.»", "« Recompte, petite. Et ne montre pas du doigt. »", "„Zähl noch mal, Kind. Und zeig nicht hin.“", "“Conte de novo, menina. E não aponte.”")),
      insert("village", "candle", snow, t("A candle, in the house that burned down before she was born.", "Una vela, en la casa que ardió antes de que naciera.", "Une bougie, dans la maison brûlée avant sa naissance.", "Eine Kerze, im Haus, das vor ihrer Geburt abbrannte.", "Uma vela, na casa que queimou antes de ela nascer.")),
    ),
    episode(
      t("Footprints", "Huellas", "Empreintes", "Spuren", "Pegadas"),
      wide("forest", "lena walk .38", snow, t("One set of footprints leads out. None leads back.", "Unas huellas salen. Ninguna vuelve.", "Des pas en sortent. Aucun n’y revient.", "Eine Spur führt hinaus. Keine zurück.", "Umas pegadas saem. Nenhuma volta.")),
      insert("study", "photo", {}, t("A photo in Otto’s drawer: the house, and a woman in red.", "Una foto en el cajón de Otto: la casa y una mujer de rojo.", "Une photo chez Otto : la maison, une femme en rouge.", "Ein Foto in Ottos Lade: das Haus und eine Frau in Rot.", "Uma foto na gaveta de Otto: a casa e uma mulher de vermelho.")),
      pair("study", ["lena", "anger"], ["otto", "sad"], {}, t("“She has my face.”", "«Tiene mi cara.»", "« Elle a mon visage. »", "„Sie hat mein Gesicht.“", "“Ela tem o meu rosto.”"), t("“No. You have hers.”", "«No. Tú tienes la suya.»", "« Non. Tu as le sien. »", "„Nein. Du hast ihres.“", "“Não. Você tem o dela.”")),
    ),
    episode(
      t("The Door", "La puerta", "La porte", "Die Tür", "A porta"),
      wide("village", "lena walk .35", snow, t("The longest night. Lena knocks where there is no door.", "La noche más larga. Lena llama donde no hay puerta.", "La plus longue nuit. Lena frappe là où nulle porte n’est.", "Die längste Nacht. Lena klopft, wo keine Tür ist.", "A noite mais longa. Lena bate onde não há porta.")),
      close("village", "lena", "worry", snow, t("“I know you’re in there.”", "«Sé que estás ahí.»", "« Je sais que vous êtes là. »", "„Ich weiß, dass du da bist.“", "“Sei que você está aí.”")),
      wide("corridor", "stranger stand .5", { light: "flicker" }, t("It opens.", "Se abre.", "Elle s’ouvre.", "Sie geht auf.", "Ela se abre.")),
      close("corridor", "stranger", "sad", { light: "flicker" }, t("“You’re late. Twelve years late.”", "«Llegas tarde. Doce años tarde.»", "« Tu as du retard. Douze ans de retard. »", "„Du bist spät. Zwölf Jahre zu spät.“", "“Está atrasada. Doze anos atrasada.”")),
    ),
    episode(
      t("What Burned", "Lo que ardió", "Ce qui brûla", "Was brannte", "O que queimou"),
      pair("study", ["stranger", "calm"], ["lena", "shock"], { weather: "embers" }, t("“I lit the thirteenth candle so you’d find me.”", "«Encendí la decimotercera vela para que me hallaras.»", "« La treizième bougie, c’était pour que tu me trouves. »", "„Die dreizehnte Kerze brannte, damit du mich findest.“", "“Acendi a décima terceira vela para você me achar.”")),
      insert("study", "letter", {}, t("Letters to Lena. Two hundred. All opened. None given.", "Cartas a Lena. Doscientas. Abiertas. Ninguna entregada.", "Deux cents lettres pour Lena. Ouvertes, jamais remises.", "Zweihundert Briefe an Lena. Geöffnet. Nie übergeben.", "Duzentas cartas a Lena. Abertas. Nenhuma entregue.")),
      close("study", "lena", "anger", {}, t("“Who read them?”", "«¿Quién las leyó?»", "« Qui les a lues ? »", "„Wer hat sie gelesen?“", "“Quem as leu?”"), t("Outside, someone is carrying a torch.", "Fuera, alguien lleva una antorcha.", "Dehors, quelqu’un porte une torche.", "Draußen trägt jemand eine Fackel.", "Lá fora, alguém carrega uma tocha.")),
    ),
    episode(
      t("The Twelve", "Los doce", "Les douze", "Die Zwölf", "Os doze"),
      wide("village", "otto stand .62, lena reach .3", { weather: "embers" }, t("Twelve households stand in the snow.", "Doce familias, de pie en la nieve.", "Douze foyers, debout dans la neige.", "Zwölf Haushalte stehen im Schnee.", "Doze famílias de pé na neve.")),
      close("village", "otto", "sad", snow, t("“We feared her candles. So one of us used his.”", "«Temíamos sus velas. Uno de nosotros usó la suya.»", "« On craignait ses bougies. L’un de nous prit la sienne. »", "„Wir fürchteten ihre Kerzen. Da nahm einer die seine.“", "“Temíamos as velas dela. Um de nós usou a sua.”")),
      close("village", "lena", "sad", snow, t("“You, Grandfather.”", "«Tú, abuelo.»", "« Toi, grand-père. »", "„Du, Großvater.“", "“Você, vovô.”")),
      close("village", "otto", "closed", snow, t("“Me. I read every letter. I couldn’t burn one.”", "«Yo. Leí cada carta. No pude quemar ninguna.»", "« Moi. Je les ai toutes lues. Je n’ai pu en brûler une. »", "„Ich. Ich las jeden Brief. Verbrennen konnte ich keinen.“", "“Eu. Li cada carta. Não consegui queimar nenhuma.”")),
    ),
    episode(
      t("Thirteen", "Trece", "Treize", "Dreizehn", "Treze"),
      wide("village", "stranger stand .6, otto kneel .35", snow, t("He kneels. The torch goes out in the snow.", "Él se arrodilla. La antorcha se apaga en la nieve.", "Il s’agenouille. La torche s’éteint dans la neige.", "Er kniet nieder. Die Fackel erlischt im Schnee.", "Ele se ajoelha. A tocha se apaga na neve.")),
      pair("village", ["stranger", "calm"], ["lena", "smile"], snow, t("“Shall we count them together?”", "«¿Las contamos juntas?»", "« On les compte ensemble ? »", "„Zählen wir sie zusammen?“", "“Vamos contá-las juntas?”")),
      insert("village", "candle", snow, t("Twelve doors open. Each brings a light.", "Doce puertas se abren. Cada una trae una luz.", "Douze portes s’ouvrent. Chacune apporte une lumière.", "Zwölf Türen öffnen sich. Jede bringt ein Licht.", "Doze portas se abrem. Cada uma traz uma luz.")),
      wide("village", "lena back .42, stranger back .6", snow, t("Since then, nobody counts. They just look.", "Desde entonces nadie cuenta. Solo miran.", "Depuis, personne ne compte. On regarde.", "Seitdem zählt niemand mehr. Man schaut nur.", "Desde então ninguém conta. Só olham.")),
    ),
  ],
};
