import { close, episode, insert, pair, wide, type Drama } from "#demo/story.ts";
import { t } from "#demo/texts.ts";

const petals = { weather: "petals" } as const;

export const finePrint: Drama = {
  slug: "fine-print",
  title: t("Fine Print", "Letra pequeña", "En petits caractères", "Das Kleingedruckte", "Letras miúdas"),
  synopsis: t(
    "A contract marriage, one year, no feelings. Unfortunately, the bride is a lawyer and wrote clause nineteen.",
    "Matrimonio por contrato, un año, sin sentimientos. Por desgracia, la novia es abogada y redactó la cláusula diecinueve.",
    "Un mariage sous contrat, un an, zéro sentiment. Hélas, la mariée est avocate et a rédigé l’article dix-neuf.",
    "Eine Vertragsehe, ein Jahr, keine Gefühle. Leider ist die Braut Anwältin und schrieb Klausel neunzehn.",
    "Casamento por contrato, um ano, sem sentimentos. Infelizmente, a noiva é advogada e escreveu a cláusula dezenove.",
  ),
  category: "romance",
  tags: ["contract-marriage", "comedy", "office"],
  badge: "new",
  featured: true,
  palette: { sky: ["#f3b9a8", "#f7d9c0", "#fbeede"], far: "#d98f8f", mid: "#b4586c", near: "#7a2d4a", ink: "#34122a", light: "#ffe9b8", accent: "#e2496b" },
  cast: {
    june: { skin: "#8d5b3d", hair: "#1c1210", style: "curly", cloth: "#f4efe8", trim: "#e2496b", outfit: "suit", extras: ["earrings"] },
    rafe: { skin: "#ecc19d", hair: "#7a4a26", style: "short", cloth: "#4b2a4a", trim: "#ffe9b8", outfit: "suit", man: true },
    odile: { skin: "#f3d2ba", hair: "#e9e4e8", style: "bob", cloth: "#c9657c", trim: "#fff3d8", outfit: "coat", old: true, extras: ["glasses"] },
  },
  poster: { place: "garden", layout: "duo", people: [{ who: "june", mood: "smirk" }, { who: "rafe", mood: "worry" }], words: ["FINE", "PRINT"], face: "deco", weather: "petals" },
  score: { mood: "playful", root: 53, tempo: 104 },
  episodes: [
    episode(
      t("The Offer", "La oferta", "L’offre", "Das Angebot", "A proposta"),
      wide("office", "rafe stand .68, june walk .3", {}, t("Rafe needs a wife by Friday. June needs rent by Monday.", "Rafe necesita esposa el viernes. June, el alquiler el lunes.", "Rafe veut une épouse vendredi. June, son loyer lundi.", "Rafe braucht bis Freitag eine Frau, June bis Montag die Miete.", "Rafe precisa de esposa até sexta. June, do aluguel até segunda.")),
      pair("office", ["rafe", "smirk"], ["june", "calm"], {}, t("“One year. No feelings. Sign here.”", "«Un año. Sin sentimientos. Firma aquí.»", "« Un an. Pas de sentiments. Signez ici. »", "„Ein Jahr. Keine Gefühle. Hier bitte.“", "“Um ano. Sem sentimentos. Assine aqui.”")),
      close("office", "june", "smirk", {}, t("“I never sign what I haven’t rewritten.”", "«No firmo nada que no haya reescrito.»", "« Je ne signe que ce que j’ai réécrit. »", "„Ich unterschreibe nur, was ich umgeschrieben habe.“", "“Só assino o que eu mesma reescrevi.”")),
      insert("office", "contract", {}, t("Nineteen clauses. He read eighteen.", "Diecinueve cláusulas. Él leyó dieciocho.", "Dix-neuf articles. Il en a lu dix-huit.", "Neunzehn Klauseln. Er las achtzehn.", "Dezenove cláusulas. Ele leu dezoito.")),
    ),
    episode(
      t("I Do, Hereby", "Sí, por la presente", "Oui, par la présente", "Ja, hiermit", "Aceito, pela presente"),
      wide("garden", "june stand .38, rafe stand .62", petals, t("A wedding with forty guests and two witnesses to the accounts.", "Una boda con cuarenta invitados y dos auditores.", "Un mariage : quarante invités et deux comptables.", "Eine Hochzeit mit vierzig Gästen und zwei Buchprüfern.", "Um casamento com quarenta convidados e dois auditores.")),
      close("garden", "odile", "smirk", petals, t("“My grandson never looks at anyone like that.”", "«Mi nieto nunca mira así a nadie.»", "« Mon petit-fils ne regarde personne ainsi. »", "„So sieht mein Enkel sonst niemanden an.“", "“Meu neto nunca olha assim para ninguém.”")),
      close("garden", "rafe", "worry", petals, t("“Is crying in the contract?”", "«¿Llorar está en el contrato?»", "« Pleurer, c’est prévu au contrat ? »", "„Steht Weinen im Vertrag?“", "“Chorar está no contrato?”"), t("“Clause seven. Happy tears, public events.”", "«Cláusula siete. De alegría, en público.»", "« Article sept. De joie, en public. »", "„Klausel sieben. Freudentränen, öffentlich.“", "“Cláusula sete. De alegria, em público.”")),
    ),
    episode(
      t("Clause Nineteen", "Cláusula diecinueve", "Article dix-neuf", "Klausel neunzehn", "Cláusula dezenove"),
      wide("cafe", "june sit .3, rafe walk .7", {}, t("Month three. They have a favourite table.", "Tercer mes. Ya tienen mesa favorita.", "Troisième mois. Ils ont leur table préférée.", "Dritter Monat. Sie haben einen Lieblingstisch.", "Terceiro mês. Já têm mesa favorita.")),
      pair("cafe", ["june", "smile"], ["rafe", "smile"], {}, t("“You remembered my coffee.” “It’s in the annex.”", "«Recordaste mi café.» «Está en el anexo.»", "« Tu connais mon café. » « C’est en annexe. »", "„Du kennst meinen Kaffee.“ „Steht im Anhang.“", "“Lembrou do meu café.” “Está no anexo.”")),
      insert("cafe", "phone", {}, t("A message from Grandmother: I found clause nineteen.", "Mensaje de la abuela: he encontrado la diecinueve.", "Message de grand-mère : j’ai trouvé l’article dix-neuf.", "Nachricht von Oma: Ich habe Klausel neunzehn gefunden.", "Mensagem da avó: achei a cláusula dezenove.")),
      close("cafe", "rafe", "shock", {}, t("“June… you own my company if I fall in love?”", "«June… ¿mi empresa es tuya si me enamoro?»", "« June… si je tombe amoureux, ma société est à toi ? »", "„June … wenn ich mich verliebe, gehört dir die Firma?“", "“June… se eu me apaixonar, a empresa é sua?”")),
    ),
    episode(
      t("Breach", "Incumplimiento", "Rupture", "Vertragsbruch", "Quebra de contrato"),
      wide("street", "rafe walk .7, june back .3", { weather: "rain" }, t("He walks out. It rains, as in every contract.", "Él se marcha. Llueve, como en todo contrato.", "Il s’en va. Il pleut, comme dans tout contrat.", "Er geht. Es regnet, wie in jedem Vertrag.", "Ele vai embora. Chove, como em todo contrato.")),
      close("street", "june", "sad", { weather: "rain" }, t("“It was a joke. I wrote it before I knew you.”", "«Era una broma. La escribí antes de conocerte.»", "« C’était une blague. Je ne te connaissais pas. »", "„Es war ein Scherz. Da kannte ich dich noch nicht.“", "“Era piada. Escrevi antes de te conhecer.”")),
      insert("study", "ring", {}, t("The ring comes back by courier. Signature required.", "El anillo vuelve por mensajero. Se exige firma.", "L’alliance revient par coursier, contre signature.", "Der Ring kommt per Bote. Gegen Unterschrift.", "A aliança volta por portador. Exige assinatura."), t("She does not sign.", "Ella no firma.", "Elle ne signe pas.", "Sie unterschreibt nicht.", "Ela não assina.")),
    ),
    episode(
      t("Grandmother’s Counsel", "El consejo de la abuela", "Le conseil de grand-mère", "Großmutters Rat", "O conselho da avó"),
      wide("study", "odile sit .35, june stand .68", {}, t("Odile pours tea and reads contracts for pleasure.", "Odile sirve té y lee contratos por placer.", "Odile sert le thé et lit des contrats par plaisir.", "Odile gießt Tee ein und liest Verträge zum Vergnügen.", "Odile serve chá e lê contratos por prazer.")),
      pair("study", ["odile", "calm"], ["june", "worry"], {}, t("“He inked his own line, dear. Read clause twenty.”", "«Él añadió su propia línea. Lee la veinte.»", "« Il a ajouté sa ligne, ma chère. Lisez l’article vingt. »", "„Er hat selbst etwas ergänzt. Lesen Sie Klausel zwanzig.“", "“Ele acrescentou uma linha, querida. Leia a vinte.”")),
      insert("study", "letter", {}, t("Clause twenty: see clause nineteen. Gladly.", "Cláusula veinte: véase la diecinueve. Con gusto.", "Article vingt : voir dix-neuf. Avec joie.", "Klausel zwanzig: siehe neunzehn. Mit Freuden.", "Cláusula vinte: ver a dezenove. Com prazer.")),
      close("study", "june", "shock", {}, t("“It’s dated our wedding day.”", "«Tiene fecha de nuestra boda.»", "« C’est daté du jour de notre mariage. »", "„Datiert auf unseren Hochzeitstag.“", "“Tem a data do nosso casamento.”")),
    ),
    episode(
      t("Renewal", "Renovación", "Reconduction", "Verlängerung", "Renovação"),
      wide("garden", "rafe kneel .62, june stand .36", petals, t("Last day of the contract. Same garden. Nobody invited.", "Último día del contrato. El mismo jardín. Sin invitados.", "Dernier jour du contrat. Même jardin, sans invités.", "Letzter Vertragstag. Derselbe Garten. Keine Gäste.", "Último dia do contrato. Mesmo jardim. Sem convidados.")),
      pair("garden", ["rafe", "smile"], ["june", "smile"], petals, t("“Marry me. No clauses.”", "«Cásate conmigo. Sin cláusulas.»", "« Épouse-moi. Sans clauses. »", "„Heirate mich. Ohne Klauseln.“", "“Case comigo. Sem cláusulas.”"), t("“One clause. You make the coffee.”", "«Una cláusula. El café lo haces tú.»", "« Une seule. Le café, c’est toi. »", "„Eine Klausel. Du kochst den Kaffee.“", "“Uma cláusula. O café é por sua conta.”")),
      insert("garden", "contract", petals, t("Signed, both. Fine print: none.", "Firmado por ambos. Letra pequeña: ninguna.", "Signé, tous deux. Petits caractères : aucun.", "Unterschrieben, beide. Kleingedrucktes: keines.", "Assinado pelos dois. Letras miúdas: nenhuma.")),
    ),
  ],
};
