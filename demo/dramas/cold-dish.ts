import { close, episode, insert, pair, wide, type Drama } from "#demo/story.ts";
import { t } from "#demo/texts.ts";

export const coldDish: Drama = {
  slug: "cold-dish",
  title: t("A Cold Dish", "Un plato frío", "Un plat froid", "Kalt serviert", "Prato frio"),
  synopsis: t(
    "He stole her recipe, her restaurant and her name. She comes back as his dishwasher.",
    "Él le robó la receta, el restaurante y el nombre. Ella vuelve como su friegaplatos.",
    "Il lui a volé sa recette, son restaurant et son nom. Elle revient comme plongeuse.",
    "Er stahl ihr Rezept, ihr Restaurant und ihren Namen. Sie kommt als Tellerwäscherin zurück.",
    "Ele roubou a receita, o restaurante e o nome dela. Ela volta como lavadora de pratos.",
  ),
  category: "drama",
  tags: ["revenge", "kitchen", "comedy"],
  badge: "hot",
  palette: { sky: ["#2a1210", "#5c2318", "#a8512c"], far: "#6d3222", mid: "#43211d", near: "#2a1616", ink: "#120a0b", light: "#ffcf8a", accent: "#e0542e" },
  cast: {
    carmen: { skin: "#d6a078", hair: "#1a1010", style: "ponytail", cloth: "#f3ede2", trim: "#e0542e", outfit: "chef" },
    basil: { skin: "#f0c6a8", hair: "#5a3a28", style: "slick", cloth: "#f7f3ec", trim: "#2a1616", outfit: "chef", man: true, extras: ["toque", "moustache"] },
    critic: { skin: "#8a5a40", hair: "#d8d2cc", style: "bob", cloth: "#3c2f4a", trim: "#ffcf8a", outfit: "coat", old: true, extras: ["glasses", "earrings"] },
  },
  poster: { place: "kitchen", layout: "duo", people: [{ who: "carmen", mood: "smirk" }, { who: "basil", mood: "anger" }], words: ["A COLD", "DISH"], face: "bold", weather: "embers" },
  score: { mood: "grand", root: 47, tempo: 100 },
  episodes: [
    episode(
      t("Dishwasher", "Friegaplatos", "À la plonge", "Spülküche", "Lavadora de pratos"),
      wide("kitchen", "carmen walk .3, basil stand .7", {}, t("Three stars. One liar. And a new girl at the sink.", "Tres estrellas. Un mentiroso. Y una nueva en el fregadero.", "Trois étoiles. Un menteur. Et une nouvelle à la plonge.", "Drei Sterne. Ein Lügner. Und eine Neue an der Spüle.", "Três estrelas. Um mentiroso. E uma novata na pia.")),
      close("kitchen", "basil", "anger", {}, t("“You. Plates. And never touch my sauce.”", "«Tú. Platos. Y jamás toques mi salsa.»", "« Toi. La vaisselle. Et jamais ma sauce. »", "„Du. Teller. Und Finger weg von meiner Soße.“", "“Você. Pratos. E nunca toque no meu molho.”")),
      close("kitchen", "carmen", "smirk", {}, t("“Of course, Chef. Your sauce.”", "«Claro, chef. Su salsa.»", "« Bien sûr, chef. Votre sauce. »", "„Natürlich, Chef. Ihre Soße.“", "“Claro, chef. O seu molho.”")),
      insert("kitchen", "dish", {}, t("It was her mother’s. He never learned the last spice.", "Era de su madre. Él nunca supo la última especia.", "Elle était à sa mère. Il n’a jamais su la dernière épice.", "Sie war von ihrer Mutter. Das letzte Gewürz kennt er nicht.", "Era da mãe dela. Ele nunca soube a última especiaria.")),
    ),
    episode(
      t("A Pinch", "Una pizca", "Une pincée", "Eine Prise", "Uma pitada"),
      wide("kitchen", "carmen reach .35", { light: "flicker" }, t("At midnight she adds what is missing. One pinch.", "A medianoche añade lo que falta. Una pizca.", "À minuit, elle ajoute ce qui manque. Une pincée.", "Um Mitternacht gibt sie dazu, was fehlt. Eine Prise.", "À meia-noite, ela põe o que falta. Uma pitada.")),
      wide("hall", "critic sit .4", {}, t("The city’s most feared critic puts down her fork.", "La crítica más temida deja el tenedor.", "La critique la plus redoutée pose sa fourchette.", "Die gefürchtetste Kritikerin legt die Gabel hin.", "A crítica mais temida larga o garfo.")),
      close("hall", "critic", "shock", {}, t("“I have tasted this once. Twelve years ago.”", "«Lo probé una vez. Hace doce años.»", "« J’ai goûté cela une fois. Il y a douze ans. »", "„Das aß ich schon einmal. Vor zwölf Jahren.“", "“Provei isto uma vez. Há doze anos.”")),
    ),
    episode(
      t("The Review", "La reseña", "La critique", "Die Kritik", "A crítica"),
      insert("office", "phone", {}, t("The review is out: ‘Tell me who is really cooking.’", "Sale la reseña: «Díganme quién cocina de verdad».", "La critique paraît : « Qui cuisine vraiment ? »", "Die Kritik ist da: „Wer kocht hier wirklich?“", "Sai a crítica: “Quem cozinha de verdade?”")),
      pair("kitchen", ["basil", "worry"], ["carmen", "calm"], {}, t("“Someone touched my pot.” “Was it better?”", "«Alguien tocó mi olla.» «¿Mejoró?»", "« On a touché à ma marmite. » « C’était meilleur ? »", "„Jemand war an meinem Topf.“ „War’s besser?“", "“Mexeram na minha panela.” “Ficou melhor?”")),
      wide("kitchen", "basil reach .66, carmen stand .3", {}, t("He pulls off her cap. The kitchen goes silent.", "Le arranca la gorra. La cocina enmudece.", "Il arrache sa coiffe. La cuisine se tait.", "Er reißt ihr die Haube ab. Die Küche verstummt.", "Ele arranca a touca dela. A cozinha emudece.")),
      close("kitchen", "basil", "shock", { light: "flicker" }, t("“Carmen? They told me you drowned.”", "«¿Carmen? Me dijeron que te ahogaste.»", "« Carmen ? On m’a dit que tu t’étais noyée. »", "„Carmen? Man sagte mir, du seist ertrunken.“", "“Carmen? Disseram que você se afogou.”")),
    ),
    episode(
      t("Stock", "Caldo", "Fond de sauce", "Fond", "Caldo"),
      close("kitchen", "carmen", "anger", {}, t("“You told them. You held the oars.”", "«Lo dijiste tú. Tú llevabas los remos.»", "« C’est toi qui l’as dit. Tu tenais les rames. »", "„Das hast du gesagt. Du saßt an den Rudern.“", "“Foi você quem disse. Você segurava os remos.”")),
      wide("sea", "basil back .4", { weather: "rain" }, t("A lake, a storm, one chef who rowed home alone.", "Un lago, una tormenta, un chef que volvió solo.", "Un lac, un orage, un chef rentré seul.", "Ein See, ein Sturm, ein Koch, der allein heimruderte.", "Um lago, uma tempestade, um chef que voltou só.")),
      pair("kitchen", ["basil", "smirk"], ["carmen", "calm"], {}, t("“And who’ll believe a dishwasher?”", "«¿Y quién creerá a una friegaplatos?»", "« Et qui croira une plongeuse ? »", "„Und wer glaubt einer Tellerwäscherin?“", "“E quem acreditará numa lavadora de pratos?”"), t("“Tomorrow. Table one. Cook against me.”", "«Mañana. Mesa uno. Cocina contra mí.»", "« Demain. Table une. Cuisine contre moi. »", "„Morgen. Tisch eins. Koch gegen mich.“", "“Amanhã. Mesa um. Cozinhe contra mim.”")),
    ),
    episode(
      t("Table One", "Mesa uno", "Table une", "Tisch eins", "Mesa um"),
      wide("kitchen", "carmen reach .3, basil reach .62", { weather: "embers" }, t("Two pots. One hour. Every cook in town at the window.", "Dos ollas. Una hora. Todos los cocineros miran.", "Deux marmites. Une heure. Tous les cuistots à la vitre.", "Zwei Töpfe. Eine Stunde. Alle Köche am Fenster.", "Duas panelas. Uma hora. Todos os cozinheiros à janela.")),
      close("kitchen", "basil", "worry", { weather: "embers" }, t("He switches the plates. Of course he does.", "Él cambia los platos. Por supuesto.", "Il échange les assiettes. Évidemment.", "Er vertauscht die Teller. Natürlich.", "Ele troca os pratos. É claro.")),
      insert("hall", "dish", {}, t("Two silver covers. The critic lifts the first.", "Dos campanas de plata. La crítica alza la primera.", "Deux cloches d’argent. La critique soulève la première.", "Zwei silberne Hauben. Die Kritikerin hebt die erste.", "Duas campânulas de prata. A crítica ergue a primeira.")),
      close("hall", "critic", "calm", {}, t("“This one is perfect. And this one is… a confession?”", "«Este es perfecto. Y este… ¿una confesión?»", "« Celui-ci est parfait. Et celui-là… un aveu ? »", "„Der ist perfekt. Und der ist … ein Geständnis?“", "“Este é perfeito. E este é… uma confissão?”")),
    ),
    episode(
      t("Served", "Servido", "Servi", "Angerichtet", "Servido"),
      insert("hall", "letter", {}, t("Under the cover: the rescue report. His signature.", "Bajo la campana: el informe del rescate. Su firma.", "Sous la cloche : le rapport des secours. Sa signature.", "Unter der Haube: der Rettungsbericht. Seine Unterschrift.", "Sob a campânula: o laudo do resgate. A assinatura dele.")),
      close("hall", "carmen", "smirk", {}, t("“I knew you’d switch them. You always steal.”", "«Sabía que los cambiarías. Siempre robas.»", "« Je savais que tu échangerais. Tu voles toujours. »", "„Ich wusste, du tauschst. Du stiehlst ja immer.“", "“Eu sabia que trocaria. Você sempre rouba.”")),
      wide("street", "basil walk .7, critic stand .35", { weather: "rain" }, t("He leaves by the kitchen door, with the police.", "Sale por la cocina, con la policía.", "Il sort par la cuisine, avec la police.", "Er geht durch die Küchentür, mit der Polizei.", "Ele sai pela cozinha, com a polícia.")),
      pair("kitchen", ["critic", "smile"], ["carmen", "smile"], {}, t("“And the last spice?”", "«¿Y la última especia?»", "« Et la dernière épice ? »", "„Und das letzte Gewürz?“", "“E a última especiaria?”"), t("“Patience. Twelve years of it.”", "«Paciencia. Doce años.»", "« La patience. Douze ans. »", "„Geduld. Zwölf Jahre lang.“", "“Paciência. Doze anos dela.”")),
    ),
  ],
};
