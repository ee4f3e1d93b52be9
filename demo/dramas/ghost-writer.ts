import { close, episode, insert, pair, wide, type Drama } from "#demo/story.ts";
import { t } from "#demo/texts.ts";

const dust = { weather: "dust" } as const;

export const ghostWriter: Drama = {
  slug: "ghost-writer",
  title: t("Ghost Writer", "El escritor fantasma", "Plume fantôme", "Geisterfeder", "O escritor fantasma"),
  synopsis: t(
    "Her landlord is a dead novelist with one chapter left and very strong opinions on adverbs.",
    "Su casero es un novelista muerto al que le falta un capítulo y odia los adverbios.",
    "Son propriétaire est un romancier mort à qui il manque un chapitre et qui déteste les adverbes.",
    "Ihr Vermieter ist ein toter Romancier, dem ein Kapitel fehlt und der Adverbien verabscheut.",
    "O senhorio dela é um romancista morto a quem falta um capítulo e que odeia advérbios.",
  ),
  category: "comedy",
  tags: ["ghost", "books", "comedy"],
  badge: "new",
  palette: { sky: ["#1c1233", "#43307a", "#a98cd0"], far: "#3a2b66", mid: "#2b1f50", near: "#1d153a", ink: "#0e0a20", light: "#e8d5ff", accent: "#7fe0c2" },
  cast: {
    pia: { skin: "#efc5a2", hair: "#8a3d5e", style: "wavy", cloth: "#2f7a6a", trim: "#e8d5ff", outfit: "sweater", extras: ["glasses"] },
    ambrose: { skin: "#bfe6dc", hair: "#dff7f0", style: "slick", cloth: "#7cc9b8", trim: "#dff7f0", outfit: "suit", man: true, extras: ["moustache"] },
    hugo: { skin: "#d9a983", hair: "#33241c", style: "short", cloth: "#4a3a6e", trim: "#e0a34a", outfit: "coat", man: true },
  },
  poster: { place: "study", layout: "duo", people: [{ who: "pia", mood: "worry" }, { who: "ambrose", mood: "smirk" }], words: ["GHOST", "WRITER"], face: "thin", weather: "dust" },
  score: { mood: "playful", root: 48, tempo: 96 },
  episodes: [
    episode(
      t("Cheap Rent", "Alquiler barato", "Loyer modeste", "Billige Miete", "Aluguel barato"),
      wide("study", "pia walk .4", dust, t("Pia rents an attic nobody else would take.", "Pia alquila un ático que nadie quería.", "Pia loue un grenier dont personne ne voulait.", "Pia mietet eine Dachstube, die keiner wollte.", "Pia aluga um sótão que ninguém queria.")),
      insert("study", "typewriter", dust, t("At three in the morning it types by itself.", "A las tres de la mañana, escribe sola.", "À trois heures du matin, elle tape toute seule.", "Um drei Uhr früh tippt sie von allein.", "Às três da manhã, ela escreve sozinha.")),
      close("study", "ambrose", "anger", {}, t("“‘Suddenly’? You wrote ‘suddenly’?”", "«¿“Súbitamente”? ¿Escribió “súbitamente”?»", "« “Soudainement” ? Vous avez écrit “soudainement” ? »", "„‚Plötzlich‘? Sie schreiben ‚plötzlich‘?“", "“‘Subitamente’? Você escreveu ‘subitamente’?”")),
      close("study", "pia", "shock", { light: "flash" }, t("Suddenly, she screamed.", "Súbitamente, ella gritó.", "Soudainement, elle hurla.", "Plötzlich schrie sie.", "Subitamente, ela gritou.")),
    ),
    episode(
      t("House Rules", "Normas de la casa", "Règlement intérieur", "Hausordnung", "Regras da casa"),
      pair("study", ["ambrose", "calm"], ["pia", "worry"], {}, t("“Ambrose Vail, 1889 to last Tuesday’s draft.”", "«Ambrose Vail, de 1889 al borrador del martes.»", "« Ambrose Vail, de 1889 au brouillon de mardi. »", "„Ambrose Vail, 1889 bis zum Entwurf vom Dienstag.“", "“Ambrose Vail, de 1889 ao rascunho de terça.”")),
      wide("study", "ambrose reach .3, pia sit .7", dust, t("He dictates. She types. Critics weep.", "Él dicta. Ella teclea. La crítica llora.", "Il dicte. Elle tape. Les critiques pleurent.", "Er diktiert. Sie tippt. Die Kritiker weinen.", "Ele dita. Ela digita. A crítica chora.")),
      close("cafe", "hugo", "smile", {}, t("“It’s a masterpiece. Whoever wrote it is dead inside.”", "«Una obra maestra. Su autor está muerto por dentro.»", "« Un chef-d’œuvre. L’auteur est mort en dedans. »", "„Ein Meisterwerk. Der Autor ist innerlich tot.“", "“Uma obra-prima. Quem escreveu está morto por dentro.”")),
      close("cafe", "pia", "smirk", {}, t("“All over, actually.”", "«Por fuera también.»", "« En dehors aussi, à vrai dire. »", "„Äußerlich auch.“", "“Por fora também.”")),
    ),
    episode(
      t("The Last Chapter", "El último capítulo", "Le dernier chapitre", "Das letzte Kapitel", "O último capítulo"),
      wide("hall", "pia stand .35, hugo stand .68", {}, t("The book prize. The whole city stands to applaud.", "El gran premio. Toda la ciudad aplaude en pie.", "Le grand prix. Toute la ville applaudit debout.", "Der Buchpreis. Die ganze Stadt applaudiert im Stehen.", "O grande prêmio. A cidade inteira aplaude de pé.")),
      close("hall", "hugo", "worry", {}, t("“Pia. My grandfather wrote this. I have chapter one.”", "«Pia, esto es de mi abuelo. Tengo el primer capítulo.»", "« Pia, c’est de mon grand-père. J’ai le chapitre un. »", "„Pia, das schrieb mein Großvater. Ich habe Kapitel eins.“", "“Pia, isto é do meu avô. Tenho o capítulo um.”")),
      insert("study", "letter", { light: "flicker" }, t("And the last page types itself: how Ambrose died.", "Y la última página se escribe sola: cómo murió.", "Et la dernière page s’écrit : comment il est mort.", "Und die letzte Seite tippt sich: wie Ambrose starb.", "E a última página se escreve: como ele morreu.")),
      close("study", "ambrose", "shock", { light: "flicker" }, t("“Murdered. By my editor’s family. By… Hugo’s.”", "«Asesinado. Por la familia de… Hugo.»", "« Assassiné. Par la famille de… Hugo. »", "„Ermordet. Von der Familie … Hugos.“", "“Assassinado. Pela família do… Hugo.”")),
    ),
    episode(
      t("Writer’s Block", "Bloqueo", "Page blanche", "Schreibblockade", "Bloqueio"),
      wide("street", "hugo walk .7, pia walk .3", { weather: "rain" }, t("Hugo walks her home. Ambrose knocks down a flowerpot.", "Hugo la acompaña. Ambrose tira una maceta.", "Hugo la raccompagne. Ambrose fait tomber un pot.", "Hugo bringt sie heim. Ambrose wirft einen Blumentopf.", "Hugo a acompanha. Ambrose derruba um vaso.")),
      close("study", "ambrose", "anger", {}, t("“I will not haunt a love story.”", "«No pienso rondar una historia de amor.»", "« Je ne hanterai pas une romance. »", "„Ich spuke nicht in einer Liebesgeschichte.“", "“Não vou assombrar uma história de amor.”")),
      insert("study", "photo", dust, t("A photo: Ambrose and a woman. On the back: ‘our son’.", "Una foto: Ambrose y una mujer. Detrás: «nuestro hijo».", "Une photo : Ambrose et une femme. Au dos : « notre fils ».", "Ein Foto: Ambrose und eine Frau. Hinten: „unser Sohn“.", "Uma foto: Ambrose e uma mulher. Atrás: “nosso filho”.")),
    ),
    episode(
      t("Plot Twist", "Giro", "Rebondissement", "Wendung", "Reviravolta"),
      pair("study", ["pia", "calm"], ["ambrose", "sad"], dust, t("“Hugo isn’t your killer’s heir. He’s yours.”", "«Hugo no es heredero de tu asesino. Es el tuyo.»", "« Hugo n’est pas l’héritier du tueur. C’est le tien. »", "„Hugo ist nicht des Mörders Erbe. Er ist deiner.“", "“Hugo não é herdeiro do assassino. É seu.”")),
      close("study", "ambrose", "closed", dust, t("“Then who put the arsenic in my tea?”", "«¿Y quién puso arsénico en mi té?»", "« Alors qui a mis l’arsenic dans mon thé ? »", "„Und wer tat das Arsen in meinen Tee?“", "“Então quem pôs arsênico no meu chá?”")),
      insert("study", "book", dust, t("Chapter one, first line: ‘I always took it with sugar.’", "Capítulo uno: «Siempre lo tomaba con azúcar».", "Chapitre un : « Je le prenais toujours sucré. »", "Kapitel eins: „Ich nahm ihn stets mit Zucker.“", "Capítulo um: “Sempre o tomei com açúcar.”")),
      close("study", "pia", "smirk", {}, t("“You mixed up the jars, Ambrose.”", "«Confundiste los frascos, Ambrose.»", "« Tu as confondu les bocaux, Ambrose. »", "„Du hast die Dosen verwechselt, Ambrose.“", "“Você trocou os potes, Ambrose.”")),
    ),
    episode(
      t("The End", "Fin", "Fin", "Ende", "Fim"),
      wide("study", "pia sit .3, hugo sit .68", dust, t("Grandson and lodger write the last chapter together.", "Nieto e inquilina escriben juntos el final.", "Petit-fils et locataire écrivent la fin ensemble.", "Enkel und Mieterin schreiben gemeinsam den Schluss.", "Neto e inquilina escrevem juntos o final.")),
      close("study", "ambrose", "smile", dust, t("“Read me the last line. Slowly.”", "«Léeme la última línea. Lentamente.»", "« Lisez-moi la dernière ligne. Lentement. »", "„Lies mir den letzten Satz. Langsam.“", "“Leia-me a última linha. Lentamente.”")),
      close("study", "pia", "sad", dust, t("“That’s an adverb.” “I know.”", "«Eso es un adverbio.» «Lo sé.»", "« C’est un adverbe. » « Je sais. »", "„Das ist ein Adverb.“ „Ich weiß.“", "“Isso é um advérbio.” “Eu sei.”")),
      insert("study", "typewriter", dust, t("The keys move once more: Well done.", "Las teclas se mueven una vez más: Bien hecho.", "Les touches bougent encore : Bien joué.", "Die Tasten bewegen sich noch einmal: Gut gemacht.", "As teclas se movem mais uma vez: Muito bem.")),
    ),
  ],
};
