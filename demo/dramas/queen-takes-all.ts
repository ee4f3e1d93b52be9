import { close, episode, insert, pair, wide, type Drama } from "#demo/story.ts";
import { t } from "#demo/texts.ts";

export const queenTakesAll: Drama = {
  slug: "queen-takes-all",
  title: t("Queen Takes All", "La dama lo gana todo", "La dame rafle tout", "Die Dame nimmt alles", "A dama leva tudo"),
  synopsis: t(
    "He stole her father’s game and his title. She learned chess for one reason: to take both back.",
    "Él robó la partida y el título de su padre. Ella aprendió ajedrez solo para recuperarlos.",
    "Il a volé la partie et le titre de son père. Elle a appris les échecs pour les reprendre.",
    "Er stahl ihrem Vater Partie und Titel. Sie lernte Schach, um beides zurückzuholen.",
    "Ele roubou a partida e o título do pai dela. Ela aprendeu xadrez para tomá-los de volta.",
  ),
  category: "drama",
  tags: ["chess", "revenge", "prodigy"],
  palette: { sky: ["#140b10", "#3a1418", "#8a2a26"], far: "#4a1f24", mid: "#2c1418", near: "#1b0d11", ink: "#0b0608", light: "#f6dfb4", accent: "#d4302f" },
  cast: {
    noor: { skin: "#b97f57", hair: "#15100f", style: "ponytail", cloth: "#efe6d8", trim: "#d4302f", outfit: "sweater" },
    kessler: { skin: "#f0cbb0", hair: "#e8e2d8", style: "slick", cloth: "#1a1416", trim: "#d4302f", outfit: "suit", man: true, old: true },
    baba: { skin: "#a8704c", hair: "#8a8480", style: "bald", cloth: "#4c3a34", trim: "#f6dfb4", outfit: "sweater", man: true, old: true, extras: ["beard"] },
  },
  poster: { place: "arena", layout: "hero", people: [{ who: "noor", mood: "anger" }], words: ["QUEEN", "TAKES ALL"], face: "deco" },
  score: { mood: "tense", root: 50, tempo: 120 },
  episodes: [
    episode(
      t("The Pawn", "El peón", "Le pion", "Der Bauer", "O peão"),
      wide("arena", "noor walk .25, kessler sit .7", {}, t("Forty boards. Grandmaster Kessler plays them all at once.", "Cuarenta tableros. El maestro Kessler juega en todos.", "Quarante échiquiers. Kessler les joue tous à la fois.", "Vierzig Bretter. Großmeister Kessler spielt alle zugleich.", "Quarenta tabuleiros. Kessler joga em todos ao mesmo tempo.")),
      close("arena", "kessler", "smirk", {}, t("“And who let the cleaner sit down?”", "«¿Quién dejó sentarse a la limpiadora?»", "« Qui a laissé s’asseoir la femme de ménage ? »", "„Wer hat die Putzfrau Platz nehmen lassen?“", "“Quem deixou a faxineira se sentar?”")),
      insert("arena", "chess", {}, t("Thirty-nine fall. Board forty does not.", "Caen treinta y nueve. El cuarenta, no.", "Trente-neuf tombent. Pas le quarantième.", "Neununddreißig fallen. Brett vierzig nicht.", "Trinta e nove caem. O quarenta, não.")),
      close("arena", "noor", "calm", {}, t("“Check. You’ve seen this one before.”", "«Jaque. Esta ya la conoce.»", "« Échec. Vous connaissez celle-ci. »", "„Schach. Das kennen Sie doch.“", "“Xeque. Esta o senhor já conhece.”")),
    ),
    episode(
      t("Father’s Game", "La partida de papá", "La partie de papa", "Vaters Partie", "A partida do pai"),
      wide("cafe", "baba sit .66, noor stand .3", {}, t("Her father has not touched a piece for twenty years.", "Su padre no toca una pieza desde hace veinte años.", "Son père n’a pas touché une pièce depuis vingt ans.", "Ihr Vater hat seit zwanzig Jahren keine Figur berührt.", "O pai não toca numa peça há vinte anos.")),
      pair("cafe", ["baba", "sad"], ["noor", "anger"], {}, t("“He read my notebook. Then he won my match.”", "«Leyó mi cuaderno. Y ganó mi partida.»", "« Il a lu mon carnet. Puis il a gagné mon match. »", "„Er las mein Notizbuch. Dann gewann er mein Match.“", "“Ele leu meu caderno. Depois venceu meu jogo.”")),
      insert("study", "book", {}, t("The last page is torn out. The winning move was on it.", "Falta la última página. Allí estaba la jugada.", "La dernière page est arrachée. Le coup gagnant y était.", "Die letzte Seite fehlt. Darauf stand der Siegzug.", "A última página foi arrancada. Nela, o lance vencedor.")),
    ),
    episode(
      t("The Final", "La final", "La finale", "Das Finale", "A final"),
      wide("arena", "noor sit .3, kessler sit .68", {}, t("She wins nine matches in a row. Then there is only him.", "Gana nueve partidas seguidas. Solo queda él.", "Neuf victoires de suite. Il ne reste que lui.", "Neun Siege in Folge. Dann bleibt nur er.", "Nove vitórias seguidas. Só resta ele.")),
      pair("arena", ["kessler", "smirk"], ["noor", "calm"], {}, t("“Lose, and I return the notebook page.”", "«Pierda y le devuelvo la página.»", "« Perdez, et je vous rends la page. »", "„Verlieren Sie, und Sie kriegen die Seite.“", "“Perca, e eu devolvo a página.”")),
      insert("arena", "twelve", {}, t("Eleven seconds on her clock.", "Once segundos en su reloj.", "Onze secondes à sa pendule.", "Elf Sekunden auf ihrer Uhr.", "Onze segundos no relógio dela.")),
      close("arena", "noor", "shock", { light: "flicker" }, t("She reaches for her king.", "Su mano va hacia el rey.", "Sa main va vers son roi.", "Ihre Hand greift nach dem König.", "A mão dela vai até o rei.")),
    ),
    episode(
      t("Touch, Move", "Pieza tocada", "Pièce touchée", "Berührt, geführt", "Peça tocada"),
      close("arena", "kessler", "smile", {}, t("“Touched is moved, my dear.”", "«Pieza tocada, pieza movida.»", "« Pièce touchée, pièce jouée, ma chère. »", "„Berührt, geführt, meine Liebe.“", "“Peça tocada, peça jogada, querida.”")),
      close("arena", "noor", "smirk", {}, t("“I know. I’m castling.”", "«Lo sé. Voy a enrocar.»", "« Je sais. Je roque. »", "„Ich weiß. Ich rochiere.“", "“Eu sei. Vou rocar.”")),
      insert("arena", "chess", {}, t("The hall stops breathing. It is her father’s move.", "La sala contiene el aliento. Es la jugada de su padre.", "La salle retient son souffle. C’est le coup de son père.", "Der Saal hält den Atem an. Es ist Vaters Zug.", "A sala prende a respiração. É o lance do pai.")),
      wide("corridor", "kessler walk .5", {}, t("Kessler asks for a break. Then he makes a call.", "Kessler pide una pausa. Y hace una llamada.", "Kessler demande une pause. Et passe un appel.", "Kessler bittet um Pause. Dann telefoniert er.", "Kessler pede uma pausa. E faz uma ligação.")),
    ),
    episode(
      t("Adjourned", "Aplazada", "Ajournée", "Vertagt", "Adiada"),
      wide("street", "noor back .4", { weather: "rain" }, t("The café is burning. So is every notebook.", "El café arde. Y todos los cuadernos.", "Le café brûle. Et tous les carnets avec.", "Das Café brennt. Und mit ihm jedes Heft.", "O café está em chamas. E todos os cadernos.")),
      pair("street", ["noor", "sad"], ["baba", "calm"], { weather: "embers" }, t("“All your games, Baba.”", "«Todas tus partidas, papá.»", "« Toutes tes parties, Baba. »", "„All deine Partien, Baba.“", "“Todas as suas partidas, pai.”"), t("“They were never on paper.” He taps her forehead.", "«Nunca estuvieron en papel.» Le toca la frente.", "« Elles n’étaient pas sur papier. » Il touche son front.", "„Die standen nie auf Papier.“ Er tippt ihr an die Stirn.", "“Nunca estiveram no papel.” Ele toca a testa dela.")),
      close("street", "noor", "anger", { weather: "embers" }, t("“Then I’ll play them all.”", "«Pues las jugaré todas.»", "« Alors je les jouerai toutes. »", "„Dann spiele ich sie alle.“", "“Então vou jogar todas.”")),
    ),
    episode(
      t("Mate", "Mate", "Mat", "Matt", "Mate"),
      wide("arena", "noor stand .32, kessler sit .68", {}, t("She comes back smelling of smoke and plays blindfold.", "Vuelve oliendo a humo y juega a ciegas.", "Elle revient, sentant la fumée, et joue à l’aveugle.", "Sie kommt zurück, riecht nach Rauch und spielt blind.", "Ela volta cheirando a fumaça e joga às cegas.")),
      close("arena", "noor", "closed", {}, t("“Queen to h7. Mate.”", "«Dama a h7. Mate.»", "« Dame h7. Mat. »", "„Dame h7. Matt.“", "“Dama h7. Mate.”")),
      close("arena", "kessler", "shock", {}, t("“That move is mine. It’s published!”", "«¡Esa jugada es mía! ¡Está publicada!»", "« Ce coup est à moi ! Il est publié ! »", "„Der Zug ist von mir! Er ist veröffentlicht!“", "“Esse lance é meu! Está publicado!”")),
      pair("arena", ["baba", "smile"], ["noor", "smile"], {}, t("“No. You printed it with my mistake in it.”", "«No. Lo publicó con mi error.»", "« Non. Vous l’avez publié avec mon erreur. »", "„Nein. Sie druckten ihn mit meinem Fehler.“", "“Não. O senhor publicou com o meu erro.”")),
    ),
  ],
};
