import { close, episode, insert, pair, wide, type Drama } from "#demo/story.ts";
import { t } from "#demo/texts.ts";

const storm = { weather: "rain", light: "flash" } as const;
const dust = { weather: "dust" } as const;

export const theLampAtSkerry: Drama = {
  slug: "the-lamp-at-skerry",
  title: t("The Lamp at Skerry", "El faro de Skerry", "Le phare de Skerry", "Das Licht von Skerry", "O farol de Skerry"),
  synopsis: t(
    "The keeper has been dead for a year. Every night, someone lights the lamp.",
    "El farero murió hace un año. Cada noche, alguien enciende el faro.",
    "Le gardien est mort depuis un an. Chaque nuit, quelqu’un allume le phare.",
    "Der Wärter ist seit einem Jahr tot. Jede Nacht zündet jemand das Licht an.",
    "O faroleiro morreu há um ano. Toda noite, alguém acende o farol.",
  ),
  category: "mystery",
  tags: ["lighthouse", "family", "sea"],
  featured: true,
  palette: { sky: ["#071d26", "#124650", "#5d9c93"], far: "#1b4c54", mid: "#123a43", near: "#0b2831", ink: "#04131a", light: "#ffdf8c", accent: "#d0503c" },
  cast: {
    isla: { skin: "#f0c7a9", hair: "#a8482a", style: "braid", cloth: "#d9a13a", trim: "#2b4c55", outfit: "coat" },
    magnus: { skin: "#dba987", hair: "#b9bcc2", style: "short", cloth: "#21434a", trim: "#c9a24a", outfit: "uniform", man: true, old: true, extras: ["beard", "cap"] },
    tom: { skin: "#c99470", hair: "#2a1c16", style: "crop", cloth: "#54707a", trim: "#dfe8e2", outfit: "sweater", man: true },
  },
  poster: { place: "coast", layout: "figures", people: [{ who: "isla", mood: "worry" }], words: ["THE", "LAMP", "AT", "SKERRY"], face: "thin", weather: "rain" },
  score: { mood: "dark", root: 48, tempo: 66 },
  episodes: [
    episode(
      t("Lit", "Encendido", "Allumé", "Entzündet", "Aceso"),
      wide("coast", "isla back .32", storm, t("Isla comes home to sell her father’s lighthouse.", "Isla vuelve para vender el faro de su padre.", "Isla revient vendre le phare de son père.", "Isla kehrt heim, um Vaters Leuchtturm zu verkaufen.", "Isla volta para vender o farol do pai.")),
      pair("coast", ["tom", "worry"], ["isla", "calm"], { weather: "rain" }, t("“Nobody’s been up there for a year.”", "«Nadie ha subido en un año.»", "« Personne n’y monte depuis un an. »", "„Seit einem Jahr war keiner oben.“", "“Ninguém sobe lá há um ano.”")),
      close("coast", "isla", "shock", storm, t("“Then who lit the lamp?”", "«Entonces, ¿quién encendió el faro?»", "« Alors, qui a allumé la lampe ? »", "„Wer hat dann das Licht angezündet?“", "“Então quem acendeu o farol?”")),
      wide("lantern", "", {}, t("It turns all night. The door is locked from inside.", "Gira toda la noche. La puerta, cerrada por dentro.", "Il tourne toute la nuit. La porte est fermée de l’intérieur.", "Es dreht sich die ganze Nacht. Die Tür ist von innen zu.", "Gira a noite toda. A porta está trancada por dentro.")),
    ),
    episode(
      t("The Logbook", "El cuaderno", "Le journal de bord", "Das Logbuch", "O diário de bordo"),
      wide("lantern", "isla walk .3", dust, t("One hundred and ninety-nine steps. Warm oil. No one.", "Ciento noventa y nueve escalones. Aceite tibio. Nadie.", "Cent quatre-vingt-dix-neuf marches. L’huile est tiède. Personne.", "Hundertneunundneunzig Stufen. Warmes Öl. Niemand.", "Cento e noventa e nove degraus. Óleo morno. Ninguém.")),
      insert("study", "book", dust, t("The log goes on after his death. Same hand.", "El diario sigue tras su muerte. La misma letra.", "Le journal continue après sa mort. Même écriture.", "Das Logbuch geht nach seinem Tod weiter. Dieselbe Schrift.", "O diário continua após a morte. A mesma letra.")),
      close("study", "isla", "worry", dust, t("“Yesterday: ‘Isla arrives. Don’t let her look north.’”", "«Ayer: “Llega Isla. Que no mire al norte.”»", "« Hier : “Isla arrive. Qu’elle ne regarde pas au nord.” »", "„Gestern: ‚Isla kommt. Lasst sie nicht nach Norden sehen.‘“", "“Ontem: ‘Isla chega. Que não olhe para o norte.’”")),
      wide("coast", "isla back .4", storm, t("She looks north.", "Ella mira al norte.", "Elle regarde au nord.", "Sie sieht nach Norden.", "Ela olha para o norte.")),
    ),
    episode(
      t("North", "Norte", "Au nord", "Norden", "Norte"),
      wide("sea", "tom stand .7, isla reach .3", { weather: "rain" }, t("Out past the reef, a second light answers the first.", "Más allá del arrecife, otra luz responde.", "Au-delà du récif, une autre lumière répond.", "Hinterm Riff antwortet ein zweites Licht.", "Além do recife, uma segunda luz responde.")),
      close("sea", "tom", "sad", { weather: "rain" }, t("“I was told to keep you ashore.”", "«Me pidieron que te retuviera en tierra.»", "« On m’a dit de te garder à terre. »", "„Ich sollte dich an Land halten.“", "“Mandaram-me manter você em terra.”")),
      close("sea", "isla", "anger", { weather: "rain" }, t("“Told by whom, Tom?”", "«¿Quién, Tom?»", "« Qui, Tom ? »", "„Von wem, Tom?“", "“Quem, Tom?”")),
      close("lantern", "magnus", "calm", { light: "flicker" }, t("“By me. Hello, Isla.”", "«Yo. Hola, Isla.»", "« Moi. Bonjour, Isla. »", "„Von mir. Hallo, Isla.“", "“Eu. Olá, Isla.”")),
    ),
    episode(
      t("The Dead Man’s Tea", "El té del muerto", "Le thé du mort", "Der Tee des Toten", "O chá do morto"),
      pair("lantern", ["isla", "anger"], ["magnus", "sad"], {}, t("“I buried you.” “You buried a coat and stones.”", "«Te enterré.» «Enterraste un abrigo y piedras.»", "« Je t’ai enterré. » « Un manteau et des pierres. »", "„Ich habe dich begraben.“ „Einen Mantel und Steine.“", "“Eu te enterrei.” “Um casaco e pedras.”")),
      insert("lantern", "photo", {}, t("Twenty years ago: a ship, wrecked on a dark night.", "Hace veinte años: un barco naufragó en la oscuridad.", "Il y a vingt ans : un naufrage, par nuit noire.", "Vor zwanzig Jahren: ein Schiff, gestrandet im Dunkeln.", "Há vinte anos: um navio naufragou no escuro.")),
      close("lantern", "magnus", "closed", {}, t("“I fell asleep. Your mother was aboard.”", "«Me dormí. Tu madre iba a bordo.»", "« Je m’étais endormi. Ta mère était à bord. »", "„Ich war eingeschlafen. Deine Mutter war an Bord.“", "“Adormeci. Sua mãe estava a bordo.”")),
    ),
    episode(
      t("Two Lights", "Dos luces", "Deux lumières", "Zwei Lichter", "Duas luzes"),
      wide("sea", "magnus stand .65, isla walk .3", { weather: "rain" }, t("“Every night I signal. Every night it answers.”", "«Cada noche hago señales. Cada noche responde.»", "« Chaque nuit je fais signe. Chaque nuit, on répond. »", "„Jede Nacht gebe ich Zeichen. Jede Nacht kommt Antwort.“", "“Toda noite sinalizo. Toda noite responde.”")),
      close("sea", "isla", "worry", storm, t("“Long, short, long. That’s my lullaby.”", "«Largo, corto, largo. Es mi canción de cuna.»", "« Long, court, long. C’est ma berceuse. »", "„Lang, kurz, lang. Das ist mein Schlaflied.“", "“Longo, curto, longo. É a minha canção de ninar.”")),
      wide("lantern", "isla reach .3", { light: "flash" }, t("The storm takes the lens. The lamp goes dark.", "La tormenta rompe la lente. El faro se apaga.", "La tempête brise la lentille. Le phare s’éteint.", "Der Sturm zerschlägt die Linse. Das Licht erlischt.", "A tempestade quebra a lente. O farol se apaga."), t("And the light at sea begins to drift.", "Y la luz del mar va a la deriva.", "Et la lumière en mer part à la dérive.", "Und das Licht auf See beginnt zu treiben.", "E a luz no mar fica à deriva.")),
    ),
    episode(
      t("Home Light", "La luz de casa", "La lumière du retour", "Heimatlicht", "A luz de casa"),
      insert("lantern", "candle", {}, t("Isla burns what they have: the deeds of sale first.", "Isla quema lo que hay: primero, la escritura.", "Isla brûle ce qu’elle a : l’acte de vente d’abord.", "Isla verbrennt, was da ist: zuerst den Kaufvertrag.", "Isla queima o que há: primeiro, a escritura.")),
      wide("lantern", "isla reach .3, magnus stand .72", { weather: "embers" }, t("“Keep it burning!”", "«¡Que no se apague!»", "« Ne le laissez pas mourir ! »", "„Lasst es brennen!“", "“Não deixe apagar!”")),
      wide("sea", "isla back .4, magnus back .6", {}, t("At dawn a small boat finds the pier.", "Al alba, una barca encuentra el muelle.", "À l’aube, une barque trouve la jetée.", "Im Morgengrauen findet ein Boot den Steg.", "Ao amanhecer, um barquinho encontra o cais."), t("A woman steps out, humming. Long, short, long.", "Baja una mujer tarareando. Largo, corto, largo.", "Une femme en descend, elle fredonne. Long, court, long.", "Eine Frau steigt aus und summt. Lang, kurz, lang.", "Uma mulher desce, cantarolando. Longo, curto, longo.")),
    ),
  ],
};
