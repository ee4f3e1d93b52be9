import { close, episode, insert, pair, wide, type Drama } from "#demo/story.ts";
import { t } from "#demo/texts.ts";

export const thursdayAgain: Drama = {
  slug: "thursday-again",
  title: t("Thursday, Again", "Otra vez jueves", "Encore jeudi", "Schon wieder Donnerstag", "Quinta, de novo"),
  synopsis: t(
    "A barista lives the same Thursday for the 212th time. Today a stranger orders something new.",
    "Una camarera vive el mismo jueves por 212.ª vez. Hoy, un desconocido pide algo distinto.",
    "Une barista vit le même jeudi pour la 212e fois. Aujourd’hui, un inconnu commande autre chose.",
    "Eine Barista erlebt denselben Donnerstag zum 212. Mal. Heute bestellt ein Fremder etwas Neues.",
    "Uma barista vive a mesma quinta pela 212.ª vez. Hoje, um estranho pede algo novo.",
  ),
  category: "fantasy",
  tags: ["time-loop", "comedy", "love"],
  badge: "hot",
  palette: { sky: ["#12333f", "#1f6a72", "#f0a15c"], far: "#22545e", mid: "#1a4450", near: "#4a2a2c", ink: "#101b22", light: "#ffc873", accent: "#f0703c" },
  cast: {
    mika: { skin: "#f0cba8", hair: "#16161c", style: "bob", cloth: "#f0703c", trim: "#fff1da", outfit: "shirt" },
    sol: { skin: "#7d4e35", hair: "#120d0b", style: "crop", cloth: "#2f7a80", trim: "#ffc873", outfit: "coat", man: true, extras: ["glasses"] },
    edda: { skin: "#e7bd9d", hair: "#cfcad2", style: "curly", cloth: "#6b4c7e", trim: "#ffc873", outfit: "robe", old: true },
  },
  poster: { place: "cafe", layout: "hero", people: [{ who: "mika", mood: "shock" }], words: ["THURSDAY", "AGAIN"], face: "bold" },
  score: { mood: "playful", root: 50, tempo: 112 },
  episodes: [
    episode(
      t("Loop 212", "Bucle 212", "Boucle 212", "Schleife 212", "Ciclo 212"),
      insert("cafe", "seven", {}, t("7:02. The cup falls. The dog barks. Thursday.", "7:02. Cae la taza. Ladra el perro. Jueves.", "7 h 02. La tasse tombe. Le chien aboie. Jeudi.", "7:02. Die Tasse fällt. Der Hund bellt. Donnerstag.", "7h02. A xícara cai. O cão late. Quinta.")),
      close("cafe", "mika", "calm", {}, t("“Two hundred and twelve. I know every order.”", "«Doscientas doce. Me sé todos los pedidos.»", "« Deux cent douze. Je connais chaque commande. »", "„Zweihundertzwölf. Ich kenne jede Bestellung.“", "“Duzentas e doze. Sei todos os pedidos.”")),
      pair("cafe", ["mika", "calm"], ["sol", "smile"], {}, t("“Flat white, no sugar.” “Hot chocolate, please.”", "«Flat white sin azúcar.» «Chocolate, por favor.»", "« Un café crème, sans sucre. » « Un chocolat, merci. »", "„Milchkaffee, ohne Zucker.“ „Kakao, bitte.“", "“Café com leite, sem açúcar.” “Chocolate, por favor.”")),
      close("cafe", "mika", "shock", {}, t("“…You’ve never said that before.”", "«…Nunca habías dicho eso.»", "« … Vous n’avez jamais dit ça. »", "„… Das haben Sie noch nie gesagt.“", "“…Você nunca disse isso.”")),
    ),
    episode(
      t("Hot Chocolate", "Chocolate caliente", "Chocolat chaud", "Heißer Kakao", "Chocolate quente"),
      wide("street", "mika walk .3, sol stand .7", {}, t("She follows him into a part of Thursday she never saw.", "Lo sigue hasta un jueves que nunca había visto.", "Elle le suit dans un coin de jeudi inconnu.", "Sie folgt ihm in einen unbekannten Teil des Donnerstags.", "Ela o segue por uma quinta que nunca viu.")),
      pair("street", ["sol", "worry"], ["mika", "shock"], {}, t("“How many for you?” “Two hundred and twelve.”", "«¿Cuántas llevas?» «Doscientas doce.»", "« Combien, pour toi ? » « Deux cent douze. »", "„Wie oft bei dir?“ „Zweihundertzwölf.“", "“Quantas você já viveu?” “Duzentas e doze.”")),
      close("street", "sol", "calm", {}, t("“Four thousand. Welcome to the club.”", "«Cuatro mil. Bienvenida al club.»", "« Quatre mille. Bienvenue au club. »", "„Viertausend. Willkommen im Klub.“", "“Quatro mil. Bem-vinda ao clube.”"), t("Four thousand Thursdays. He has read every book in town.", "Cuatro mil jueves. Ha leído todos los libros.", "Quatre mille jeudis. Il a lu tous les livres de la ville.", "Viertausend Donnerstage. Er kennt jedes Buch der Stadt.", "Quatro mil quintas. Leu todos os livros da cidade.")),
    ),
    episode(
      t("Eleven Fifty-Nine", "23:59", "23 h 59", "23:59", "23h59"),
      wide("city", "mika sit .35, sol sit .62", {}, t("They wait for midnight on the roof, with cake.", "Esperan la medianoche en la azotea, con tarta.", "Ils attendent minuit sur le toit, avec un gâteau.", "Sie warten auf dem Dach auf Mitternacht, mit Torte.", "Esperam a meia-noite no terraço, com bolo.")),
      close("city", "mika", "smile", {}, t("“Tomorrow, bring the cake again.”", "«Mañana trae otra vez la tarta.»", "« Demain, rapporte le gâteau. »", "„Bring morgen wieder Torte mit.“", "“Amanhã, traga o bolo de novo.”")),
      close("city", "sol", "sad", {}, t("“I fixed it, Mika. One of us gets a Friday.”", "«Lo arreglé, Mika. Solo uno tendrá viernes.»", "« J’ai réparé, Mika. Un seul de nous aura vendredi. »", "„Ich hab’s gelöst, Mika. Nur einer kriegt Freitag.“", "“Consertei, Mika. Só um de nós terá sexta.”")),
      insert("cafe", "seven", { light: "flicker" }, t("7:02. No cup falls. Friday. He is gone.", "7:02. No cae la taza. Viernes. Él no está.", "7 h 02. Aucune tasse ne tombe. Vendredi. Il a disparu.", "7:02. Keine Tasse fällt. Freitag. Er ist weg.", "7h02. Nenhuma xícara cai. Sexta. Ele sumiu.")),
    ),
    episode(
      t("Friday", "Viernes", "Vendredi", "Freitag", "Sexta"),
      wide("cafe", "mika stand .4", {}, t("New customers. New weather. The wrong day.", "Clientes nuevos. Tiempo nuevo. El día equivocado.", "Nouveaux clients, nouveau temps. Le mauvais jour.", "Neue Gäste, neues Wetter. Der falsche Tag.", "Clientes novos, tempo novo. O dia errado.")),
      insert("cafe", "book", {}, t("On his table: a diary of four thousand Thursdays.", "En su mesa: un diario de cuatro mil jueves.", "Sur sa table : le journal de quatre mille jeudis.", "Auf seinem Tisch: ein Tagebuch, viertausend Donnerstage.", "Na mesa dele: o diário de quatro mil quintas.")),
      close("cafe", "mika", "sad", {}, t("“He ordered two hundred flat whites just to watch me.”", "«Pidió doscientos cafés solo para verme.»", "« Deux cents cafés, juste pour me voir. »", "„Zweihundert Kaffees, nur um mich zu sehen.“", "“Pediu duzentos cafés só para me ver.”")),
    ),
    episode(
      t("The Clockmaker", "La relojera", "L’horlogère", "Die Uhrmacherin", "A relojoeira"),
      wide("study", "edda sit .35, mika walk .7", { weather: "dust" }, t("The last page names a clock shop on a street that isn’t there.", "La última página nombra una relojería que no existe.", "La dernière page cite une horlogerie introuvable.", "Die letzte Seite nennt einen Uhrenladen, den es nicht gibt.", "A última página cita uma relojoaria que não existe.")),
      pair("study", ["edda", "smirk"], ["mika", "worry"], {}, t("“You want to go back? Nobody wants to go back.”", "«¿Quieres volver? Nadie quiere volver.»", "« Retourner là-bas ? Personne ne veut y retourner. »", "„Zurück? Niemand will zurück.“", "“Quer voltar? Ninguém quer voltar.”")),
      close("study", "edda", "calm", {}, t("“It costs a lifetime of Fridays.”", "«Cuesta una vida de viernes.»", "« Cela coûte une vie de vendredis. »", "„Es kostet alle deine Freitage.“", "“Custa uma vida de sextas.”"), t("“Keep the change.”", "«Quédese el cambio.»", "« Gardez la monnaie. »", "„Stimmt so.“", "“Fique com o troco.”")),
    ),
    episode(
      t("The Day After", "El día después", "Le jour d’après", "Der Tag danach", "O dia seguinte"),
      insert("cafe", "seven", {}, t("7:02. The cup falls.", "7:02. Cae la taza.", "7 h 02. La tasse tombe.", "7:02. Die Tasse fällt.", "7h02. A xícara cai.")),
      wide("cafe", "sol stand .65, mika reach .3", {}, t("Before it lands, two hands catch it.", "Antes de tocar el suelo, dos manos la atrapan.", "Avant le sol, deux mains l’attrapent.", "Bevor sie aufschlägt, fangen sie zwei Hände.", "Antes de tocar o chão, duas mãos a pegam.")),
      pair("cafe", ["mika", "smile"], ["sol", "smile"], {}, t("“You gave up Friday for this?”", "«¿Diste el viernes por esto?»", "« Tu as donné vendredi pour ça ? »", "„Dafür gibst du den Freitag her?“", "“Trocou a sexta por isto?”"), t("“Look at the date, Sol.”", "«Mira la fecha, Sol.»", "« Regarde la date, Sol. »", "„Sieh aufs Datum, Sol.“", "“Veja a data, Sol.”")),
      wide("street", "mika back .42, sol back .6", {}, t("Saturday. Nobody had ever asked the price of Saturday.", "Sábado. Nadie había preguntado cuánto costaba.", "Samedi. Personne n’en avait demandé le prix.", "Samstag. Nach dessen Preis hatte nie jemand gefragt.", "Sábado. Ninguém tinha perguntado o preço do sábado.")),
    ),
  ],
};
