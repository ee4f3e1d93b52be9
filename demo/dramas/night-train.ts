import { close, episode, insert, pair, wide, type Drama } from "#demo/story.ts";
import { t } from "#demo/texts.ts";

const snow = { weather: "snow" } as const;
const dark = { light: "flicker" } as const;

export const nightTrain: Drama = {
  slug: "night-train",
  title: t("Night Train to Varna", "Tren nocturno a Varna", "Train de nuit pour Varna", "Nachtzug nach Varna", "Trem noturno para Varna"),
  synopsis: t(
    "Six passengers, one compartment, one empty berth. Someone paid for it, and has not been seen since Budapest.",
    "Seis pasajeros, un compartimento, una litera vacía. Alguien la pagó y no se le ve desde Budapest.",
    "Six voyageurs, un compartiment, une couchette vide. Son occupant a disparu depuis Budapest.",
    "Sechs Reisende, ein Abteil, ein leeres Bett. Wer es bezahlte, ist seit Budapest verschwunden.",
    "Seis passageiros, uma cabine, um leito vazio. Quem o pagou não é visto desde Budapeste.",
  ),
  category: "thriller",
  tags: ["train", "spies", "whodunit"],
  badge: "new",
  featured: true,
  palette: { sky: ["#0a1a17", "#163c34", "#6a6a3f"], far: "#1c4138", mid: "#3a2a22", near: "#241a18", ink: "#0a0f0e", light: "#ffcf7d", accent: "#8e2f2a" },
  cast: {
    irena: { skin: "#eac3a4", hair: "#20151a", style: "bob", cloth: "#2d5148", trim: "#ffcf7d", outfit: "coat", extras: ["earrings"] },
    conductor: { skin: "#dcae8a", hair: "#4a4240", style: "short", cloth: "#5a2622", trim: "#d9a648", outfit: "uniform", man: true, extras: ["cap", "moustache"] },
    viktor: { skin: "#d0a07c", hair: "#80776f", style: "slick", cloth: "#33343c", trim: "#8e2f2a", outfit: "suit", man: true, old: true, extras: ["glasses"] },
  },
  poster: { place: "station", layout: "hero", people: [{ who: "irena", mood: "calm" }], words: ["NIGHT", "TRAIN"], face: "bold", weather: "snow" },
  score: { mood: "tense", root: 47, tempo: 96 },
  episodes: [
    episode(
      t("Berth Six", "Litera seis", "Couchette six", "Bett sechs", "Leito seis"),
      wide("station", "irena walk .35, conductor stand .72", snow, t("23:10. The last train east, and it never waits.", "23:10. El último tren al este, y nunca espera.", "23 h 10. Le dernier train vers l’est n’attend jamais.", "23:10. Der letzte Zug nach Osten wartet nie.", "23h10. O último trem para o leste nunca espera.")),
      close("compartment", "irena", "worry", {}, t("“The gentleman from berth six. Where is he?”", "«El señor de la litera seis, ¿dónde está?»", "« Le monsieur de la couchette six, où est-il ? »", "„Der Herr aus Bett sechs. Wo ist er?“", "“O senhor do leito seis, onde está?”")),
      close("compartment", "conductor", "calm", {}, t("“There is no berth six, madam.”", "«No existe la litera seis, señora.»", "« Il n’y a pas de couchette six, madame. »", "„Es gibt kein Bett sechs, gnädige Frau.“", "“Não existe leito seis, senhora.”")),
      insert("compartment", "key", {}, t("She is holding its key.", "Ella tiene la llave en la mano.", "Elle en tient la clé.", "Sie hält den Schlüssel in der Hand.", "Ela está com a chave na mão.")),
    ),
    episode(
      t("The Seventh Cup", "La séptima taza", "La septième tasse", "Die siebte Tasse", "A sétima xícara"),
      wide("compartment", "viktor stand .7, irena stand .3", {}, t("Tea for six. The tray holds seven cups.", "Té para seis. En la bandeja hay siete tazas.", "Du thé pour six. Sept tasses sur le plateau.", "Tee für sechs. Auf dem Tablett sieben Tassen.", "Chá para seis. Na bandeja, sete xícaras.")),
      pair("compartment", ["viktor", "smirk"], ["irena", "calm"], {}, t("“You count cups. Not a dressmaker, then.”", "«Cuenta las tazas. No es usted modista.»", "« Vous comptez les tasses. Pas couturière, donc. »", "„Sie zählen Tassen. Also keine Schneiderin.“", "“A senhora conta xícaras. Não é costureira.”")),
      insert("compartment", "letter", {}, t("In the hem of his coat: a list. Six names. Five crossed.", "En su abrigo, una lista. Seis nombres, cinco tachados.", "Dans son manteau, une liste : six noms, cinq rayés.", "Im Mantelsaum: eine Liste. Sechs Namen, fünf gestrichen.", "No casaco dele, uma lista: seis nomes, cinco riscados.")),
      close("compartment", "irena", "shock", {}, t("The sixth is hers.", "El sexto es el suyo.", "Le sixième est le sien.", "Der sechste ist ihrer.", "O sexto é o dela.")),
    ),
    episode(
      t("Tunnel", "Túnel", "Tunnel", "Tunnel", "Túnel"),
      wide("corridor", "irena walk .4", dark, t("Between two borders the lights begin to fail.", "Entre dos fronteras, las luces empiezan a fallar.", "Entre deux frontières, les lumières faiblissent.", "Zwischen zwei Grenzen versagt das Licht.", "Entre duas fronteiras, as luzes começam a falhar.")),
      close("corridor", "conductor", "worry", dark, t("“Forty seconds of tunnel. Lock your door.”", "«Cuarenta segundos de túnel. Cierre la puerta.»", "« Quarante secondes de tunnel. Fermez à clé. »", "„Vierzig Sekunden Tunnel. Schließen Sie ab.“", "“Quarenta segundos de túnel. Tranque a porta.”")),
      insert("compartment", "candle", dark, t("One match. Berth six is made up. And warm.", "Una cerilla. La litera seis está hecha. Y tibia.", "Une allumette. La couchette six est faite. Et tiède.", "Ein Streichholz. Bett sechs ist bezogen. Und warm.", "Um fósforo. O leito seis está feito. E morno.")),
      close("compartment", "viktor", "anger", dark, t("“Don’t scream, Irena. He is behind you.”", "«No grites, Irena. Está detrás de ti.»", "« Ne criez pas, Irena. Il est derrière vous. »", "„Nicht schreien, Irena. Er steht hinter Ihnen.“", "“Não grite, Irena. Ele está atrás de você.”")),
    ),
    episode(
      t("The Man Behind", "El hombre detrás", "L’homme derrière", "Der Mann dahinter", "O homem atrás"),
      pair("compartment", ["conductor", "smirk"], ["irena", "anger"], dark, t("“No berth six, madam. Only my little office.”", "«No hay litera seis, señora. Solo mi oficina.»", "« Pas de couchette six. Seulement mon petit bureau. »", "„Kein Bett sechs. Nur mein kleines Büro.“", "“Não há leito seis. Só meu pequeno escritório.”")),
      close("compartment", "viktor", "worry", {}, t("“He sells passengers, one border at a time.”", "«Vende pasajeros, frontera a frontera.»", "« Il vend ses passagers, frontière par frontière. »", "„Er verkauft Fahrgäste, Grenze für Grenze.“", "“Ele vende passageiros, fronteira a fronteira.”")),
      wide("corridor", "irena reach .35, conductor walk .7", dark, t("She pulls the brake. Nothing.", "Ella tira del freno. Nada.", "Elle tire le frein. Rien.", "Sie zieht die Notbremse. Nichts.", "Ela puxa o freio. Nada."), t("“I own the brake, too.”", "«El freno también es mío.»", "« Le frein aussi m’appartient. »", "„Die Bremse gehört mir auch.“", "“O freio também é meu.”")),
    ),
    episode(
      t("Over the Roofs", "Por los techos", "Par les toits", "Über die Dächer", "Por cima dos vagões"),
      wide("forest", "irena walk .4, viktor walk .68", snow, t("They jump where the train slows for wolves.", "Saltan donde el tren frena por los lobos.", "Ils sautent là où le train ralentit pour les loups.", "Sie springen ab, wo der Zug für Wölfe bremst.", "Saltam onde o trem freia por causa dos lobos.")),
      close("forest", "viktor", "sad", snow, t("“I was berth six. I wrote that list to save you all.”", "«Yo era la seis. Hice la lista para salvarlos.»", "« La six, c’était moi. La liste devait vous sauver. »", "„Ich war Bett sechs. Die Liste sollte euch retten.“", "“Eu era o leito seis. Fiz a lista para salvá-los.”")),
      close("forest", "irena", "calm", snow, t("“Then we have a train to catch.”", "«Entonces tenemos un tren que alcanzar.»", "« Alors nous avons un train à prendre. »", "„Dann müssen wir einen Zug kriegen.“", "“Então temos um trem para alcançar.”")),
    ),
    episode(
      t("Varna", "Varna", "Varna", "Varna", "Varna"),
      wide("station", "conductor stand .68, irena stand .3", snow, t("Varna, 6:40. She is on the platform before him.", "Varna, 6:40. Ella llega al andén antes que él.", "Varna, 6 h 40. Elle est sur le quai avant lui.", "Varna, 6:40. Sie steht vor ihm auf dem Bahnsteig.", "Varna, 6h40. Ela chega à plataforma antes dele.")),
      pair("station", ["irena", "smirk"], ["conductor", "shock"], snow, t("“Your ticket, please.”", "«Su billete, por favor.»", "« Votre billet, s’il vous plaît. »", "„Ihre Fahrkarte, bitte.“", "“Sua passagem, por favor.”"), t("Behind her: five names, crossed out, very much alive.", "Tras ella: cinco nombres tachados, muy vivos.", "Derrière elle : cinq noms rayés, bien vivants.", "Hinter ihr: fünf gestrichene Namen, quicklebendig.", "Atrás dela: cinco nomes riscados, bem vivos.")),
      wide("sea", "irena back .4, viktor back .62", {}, t("They order seven cups of tea. Just in case.", "Piden siete tazas de té. Por si acaso.", "Ils commandent sept thés. Au cas où.", "Sie bestellen sieben Tassen Tee. Für alle Fälle.", "Pedem sete xícaras de chá. Por via das dúvidas.")),
    ),
  ],
};
