import { close, episode, insert, pair, wide, type Drama } from "#demo/story.ts";
import { t } from "#demo/texts.ts";

const bubbles = { weather: "bubbles" } as const;

export const salt: Drama = {
  slug: "salt",
  title: t("Salt", "Sal", "Sel", "Salz", "Sal"),
  synopsis: t(
    "A mermaid trades her voice for a summer on land. The fisherman she came for has sold the sea.",
    "Una sirena cambia su voz por un verano en tierra. El pescador al que busca ha vendido el mar.",
    "Une sirène échange sa voix contre un été à terre. Le pêcheur qu’elle aime a vendu la mer.",
    "Eine Meerjungfrau tauscht ihre Stimme gegen einen Sommer an Land. Ihr Fischer hat das Meer verkauft.",
    "Uma sereia troca a voz por um verão em terra. O pescador que ela ama vendeu o mar.",
  ),
  category: "fantasy",
  tags: ["mermaid", "love", "sea"],
  badge: "hot",
  palette: { sky: ["#bdf0e6", "#2f9fb5", "#123f78"], far: "#1d6f95", mid: "#17527f", near: "#103660", ink: "#081c38", light: "#ffe3c2", accent: "#ff7f6b" },
  cast: {
    maren: { skin: "#f2d3bd", hair: "#ff8a70", style: "wavy", cloth: "#3fc0b0", trim: "#fff2df", outfit: "gown" },
    joao: { skin: "#b27a52", hair: "#1b1512", style: "curly", cloth: "#f3eee2", trim: "#ff7f6b", outfit: "shirt", man: true },
    witch: { skin: "#9fc7c2", hair: "#2a2e5c", style: "long", cloth: "#3b2f6b", trim: "#ff7f6b", outfit: "robe", extras: ["crown"] },
  },
  poster: { place: "reef", layout: "hero", people: [{ who: "maren", mood: "sad" }], words: ["SALT"], face: "thin", weather: "bubbles" },
  score: { mood: "wonder", root: 50, tempo: 72 },
  episodes: [
    episode(
      t("Deep", "Hondo", "Profond", "Tief", "Fundo"),
      wide("reef", "maren swim .4", bubbles, t("Every night Maren listens to one boat.", "Cada noche, Maren escucha un solo barco.", "Chaque nuit, Maren écoute un seul bateau.", "Jede Nacht lauscht Maren einem einzigen Boot.", "Toda noite, Maren escuta um só barco.")),
      close("sea", "joao", "smile", {}, t("“Sing it back, sea. Come on.”", "«Devuélvemela, mar. Vamos.»", "« Chante à ton tour, mer. Allez. »", "„Sing zurück, Meer. Na komm.“", "“Canta de volta, mar. Vai.”")),
      close("reef", "maren", "smile", bubbles, t("She does. He thinks it is the wind.", "Ella canta. Él cree que es el viento.", "Elle chante. Il croit que c’est le vent.", "Sie singt. Er hält es für den Wind.", "Ela canta. Ele pensa que é o vento.")),
      wide("sea", "joao stand .6", {}, t("Then, one night, the boat does not come.", "Una noche, el barco no viene.", "Puis, une nuit, le bateau ne vient pas.", "Dann, eines Nachts, kommt das Boot nicht.", "Então, uma noite, o barco não vem.")),
    ),
    episode(
      t("The Price", "El precio", "Le prix", "Der Preis", "O preço"),
      wide("reef", "witch swim .65, maren swim .3", bubbles, t("The witch of the trench sells legs. Summer only.", "La bruja de la fosa vende piernas. Solo en verano.", "La sorcière vend des jambes. L’été seulement.", "Die Hexe im Graben verkauft Beine. Nur im Sommer.", "A bruxa da fossa vende pernas. Só no verão.")),
      close("reef", "witch", "smirk", bubbles, t("“Your voice, dear. He’ll like a good listener.”", "«Tu voz, querida. Le gustará que lo escuchen.»", "« Ta voix, ma chère. Il aimera qu’on l’écoute. »", "„Deine Stimme. Er mag gute Zuhörerinnen.“", "“Sua voz, querida. Ele vai gostar de quem escuta.”")),
      insert("reef", "pearl", bubbles, t("Her voice fits in a pearl. It hums in the dark.", "Su voz cabe en una perla. Tararea en la oscuridad.", "Sa voix tient dans une perle. Elle fredonne dans le noir.", "Ihre Stimme passt in eine Perle. Sie summt im Dunkeln.", "A voz cabe numa pérola. Cantarola no escuro.")),
      wide("sea", "maren walk .3", {}, t("Step one hurts. Step two is dancing.", "El primer paso duele. El segundo es bailar.", "Le premier pas fait mal. Le second, c’est danser.", "Der erste Schritt schmerzt. Der zweite ist Tanzen.", "O primeiro passo dói. O segundo é dançar.")),
    ),
    episode(
      t("Sold", "Vendido", "Vendue", "Verkauft", "Vendido"),
      wide("street", "maren walk .3, joao stand .68", {}, t("She finds him at the harbour feast. He is buying everyone wine.", "Lo halla en la fiesta del puerto. Invita a todos a vino.", "Elle le trouve à la fête du port. Il régale tout le monde.", "Sie findet ihn beim Hafenfest. Er zahlt allen Wein.", "Ela o acha na festa do porto. Ele paga vinho a todos.")),
      pair("street", ["joao", "smile"], ["maren", "smile"], {}, t("“Do I know you? I feel I’ve known you for years.”", "«¿Te conozco? Siento que de hace años.»", "« On se connaît ? J’ai l’impression que oui, depuis toujours. »", "„Kenne ich dich? Mir ist, als wär’s seit Jahren.“", "“Conheço você? Parece que há anos.”")),
      insert("street", "contract", {}, t("In his pocket: the bay, sold to the drilling company.", "En su bolsillo: la bahía, vendida a la perforadora.", "Dans sa poche : la baie, vendue aux foreurs.", "In seiner Tasche: die Bucht, verkauft an die Bohrfirma.", "No bolso dele: a baía, vendida à perfuradora.")),
      close("street", "maren", "shock", {}, t("They drill on Monday. Through her mother’s house.", "Perforan el lunes. A través de la casa de su madre.", "Ils forent lundi. À travers la maison de sa mère.", "Montag wird gebohrt. Durch das Haus ihrer Mutter.", "Perfuram na segunda. Através da casa da mãe.")),
    ),
    episode(
      t("Without Words", "Sin palabras", "Sans un mot", "Ohne Worte", "Sem palavras"),
      wide("sea", "maren reach .32, joao stand .66", {}, t("She draws it in the sand: fish, houses, children.", "Lo dibuja en la arena: peces, casas, niños.", "Elle le dessine dans le sable : poissons, maisons, enfants.", "Sie malt es in den Sand: Fische, Häuser, Kinder.", "Ela desenha na areia: peixes, casas, crianças.")),
      close("sea", "joao", "sad", {}, t("“My brother’s hospital cost more than my boat.”", "«El hospital de mi hermano costó más que mi barco.»", "« L’hôpital de mon frère coûtait plus que mon bateau. »", "„Das Krankenhaus meines Bruders kostete mehr als mein Boot.“", "“O hospital do meu irmão custou mais que meu barco.”")),
      close("sea", "maren", "closed", {}, t("The tide comes in and reads the drawing too.", "Sube la marea y lee también el dibujo.", "La marée monte et lit le dessin, elle aussi.", "Die Flut kommt und liest die Zeichnung mit.", "A maré sobe e também lê o desenho.")),
      wide("reef", "witch swim .5", bubbles, t("Below, someone has heard the drills.", "Abajo, alguien ha oído los taladros.", "En bas, quelqu’un a entendu les foreuses.", "Unten hat jemand die Bohrer gehört.", "Lá embaixo, alguém ouviu as brocas.")),
    ),
    episode(
      t("The Wave", "La ola", "La vague", "Die Welle", "A onda"),
      close("reef", "witch", "anger", bubbles, t("“One wave, and the town is mine.”", "«Una ola y el pueblo será mío.»", "« Une vague, et la ville est à moi. »", "„Eine Welle, und die Stadt ist mein.“", "“Uma onda, e a cidade é minha.”")),
      wide("coast", "maren back .3", { weather: "rain", light: "flash" }, t("Only a song can stop it. She has sold hers.", "Solo una canción puede pararla. La suya está vendida.", "Seul un chant peut l’arrêter. Elle a vendu le sien.", "Nur ein Lied hält sie auf. Ihres ist verkauft.", "Só uma canção pode detê-la. A dela foi vendida.")),
      close("coast", "joao", "worry", { weather: "rain" }, t("“Then I’ll sing it. I know it. I’ve always known it.”", "«Pues la canto yo. Siempre la he sabido.»", "« Alors je chante. Je le connais depuis toujours. »", "„Dann singe ich. Ich kenne es seit jeher.“", "“Então eu canto. Eu sempre soube.”")),
      insert("reef", "pearl", bubbles, t("In the deep, the pearl begins to crack.", "En lo hondo, la perla se agrieta.", "Au fond, la perle se fend.", "In der Tiefe bekommt die Perle einen Riss.", "No fundo, a pérola começa a rachar.")),
    ),
    episode(
      t("Low Tide", "Bajamar", "Marée basse", "Ebbe", "Maré baixa"),
      close("sea", "maren", "smile", {}, t("“You’re flat.” Her first words on land.", "«Desafinas.» Sus primeras palabras en tierra.", "« Tu chantes faux. » Ses premiers mots à terre.", "„Du singst schief.“ Ihre ersten Worte an Land.", "“Você desafina.” As primeiras palavras dela em terra.")),
      pair("sea", ["joao", "smile"], ["maren", "smile"], {}, t("“I tore up the contract. They want their money.”", "«Rompí el contrato. Quieren su dinero.»", "« J’ai déchiré le contrat. Ils veulent leur argent. »", "„Der Vertrag ist zerrissen. Sie wollen ihr Geld.“", "“Rasguei o contrato. Querem o dinheiro.”")),
      insert("sea", "pearl", {}, t("She pays in pearls. The sea has never been short.", "Ella paga en perlas. Al mar no le faltan.", "Elle paie en perles. La mer n’en manque pas.", "Sie zahlt in Perlen. Daran mangelt es dem Meer nie.", "Ela paga em pérolas. Ao mar, nunca faltaram.")),
      wide("sea", "maren back .42, joao back .6", {}, t("Summer ends. She stays for the rest of it.", "Acaba el verano. Ella se queda para lo demás.", "L’été finit. Elle reste pour la suite.", "Der Sommer endet. Sie bleibt für den Rest.", "O verão acaba. Ela fica para o resto.")),
    ),
  ],
};
