import { close, episode, insert, pair, wide, type Drama } from "#demo/story.ts";
import { t } from "#demo/texts.ts";

const rain = { weather: "rain" } as const;

export const midnightHeir: Drama = {
  slug: "midnight-heir",
  title: t("The Midnight Heir", "La heredera de medianoche", "L’héritière de minuit", "Die Mitternachtserbin", "A herdeira da meia-noite"),
  synopsis: t(
    "She pours champagne for the family that threw her away. At midnight, one signature makes her their boss.",
    "Sirve champán a la familia que la abandonó. A medianoche, una firma la convierte en su jefa.",
    "Elle sert le champagne à la famille qui l’a rejetée. À minuit, une signature fait d’elle leur patronne.",
    "Sie schenkt der Familie Champagner ein, die sie verstoßen hat. Um Mitternacht macht eine Unterschrift sie zur Chefin.",
    "Ela serve champanhe à família que a rejeitou. À meia-noite, uma assinatura faz dela a patroa.",
  ),
  category: "romance",
  tags: ["secret-heir", "revenge", "family"],
  badge: "hot",
  featured: true,
  palette: { sky: ["#0d1436", "#2a2f6e", "#b9785c"], far: "#2a3267", mid: "#1d2450", near: "#131838", ink: "#080a1c", light: "#ffd27a", accent: "#b3274e" },
  cast: {
    ada: { skin: "#e6b591", hair: "#3a1d1a", style: "long", cloth: "#8f1c3c", trim: "#ffd27a", outfit: "gown", extras: ["earrings"] },
    leo: { skin: "#c98f68", hair: "#1a1412", style: "slick", cloth: "#26315c", trim: "#b3274e", outfit: "suit", man: true },
    viktoria: { skin: "#f1cdb2", hair: "#d5cfda", style: "bun", cloth: "#3f2f58", trim: "#e5d6f5", outfit: "coat", old: true, extras: ["earrings"] },
  },
  poster: { place: "hall", layout: "duo", people: [{ who: "ada", mood: "smirk" }, { who: "leo", mood: "calm" }], words: ["THE", "MIDNIGHT", "HEIR"], face: "deco" },
  score: { mood: "grand", root: 50, tempo: 84 },
  episodes: [
    episode(
      t("One Glass Too Many", "Una copa de más", "Un verre de trop", "Ein Glas zu viel", "Uma taça a mais"),
      wide("hall", "ada walk .3, leo stand .72", {}, t("The Vale gala. Ada is here to pour the champagne.", "La gala Vale. Ada está aquí para servir el champán.", "Le gala des Vale. Ada est là pour servir le champagne.", "Die Gala der Vales. Ada schenkt den Champagner ein.", "A gala dos Vale. Ada está aqui para servir o champanhe.")),
      close("hall", "viktoria", "anger", {}, t("“You. Girl. You spilled on a Vale.”", "«Tú, muchacha. Has manchado a una Vale.»", "« Vous, là. Vous avez taché une Vale. »", "„Sie da. Sie haben eine Vale bekleckert.“", "“Você, menina. Manchou uma Vale.”")),
      close("hall", "ada", "smirk", {}, t("“Then we’re both stained, madam.”", "«Entonces las dos quedamos manchadas, señora.»", "« Alors nous voilà tachées toutes les deux, madame. »", "„Dann haben wir beide einen Fleck, gnädige Frau.“", "“Então estamos as duas manchadas, senhora.”")),
      insert("hall", "nine", {}, t("Three hours to midnight.", "Tres horas para la medianoche.", "Trois heures avant minuit.", "Noch drei Stunden bis Mitternacht.", "Três horas para a meia-noite.")),
    ),
    episode(
      t("The Lawyer in the Rain", "El abogado bajo la lluvia", "L’avocat sous la pluie", "Der Anwalt im Regen", "O advogado na chuva"),
      wide("street", "ada walk .35, leo stand .75", rain, t("Fired before dessert, she walks home.", "Despedida antes del postre, vuelve a casa a pie.", "Renvoyée avant le dessert, elle rentre à pied.", "Noch vor dem Dessert entlassen, geht sie heim.", "Despedida antes da sobremesa, volta a pé para casa.")),
      pair("street", ["leo", "worry"], ["ada", "calm"], rain, t("“Ada Vale? I’ve looked for you for nine years.”", "«¿Ada Vale? Llevo nueve años buscándola.»", "« Ada Vale ? Je vous cherche depuis neuf ans. »", "„Ada Vale? Ich suche Sie seit neun Jahren.“", "“Ada Vale? Procuro você há nove anos.”"), t("“It’s Ada Finch. And you’re dripping on my shoes.”", "«Ada Finch. Y me está mojando los zapatos.»", "« Ada Finch. Et vous gouttez sur mes chaussures. »", "„Ada Finch. Und Sie tropfen auf meine Schuhe.“", "“É Ada Finch. E está pingando nos meus sapatos.”")),
      insert("street", "letter", rain, t("The old man’s will. Her name, in his hand.", "El testamento del viejo. Su nombre, de su puño.", "Le testament du vieux. Son nom, de sa main.", "Das Testament des Alten. Ihr Name, von seiner Hand.", "O testamento do velho. O nome dela, com a letra dele.")),
    ),
    episode(
      t("Sign Before Twelve", "Firma antes de las doce", "Signer avant minuit", "Unterschrift vor zwölf", "Assine antes da meia-noite"),
      wide("study", "ada stand .3, leo reach .6", {}, t("“Sign before midnight, or it all goes to Viktoria.”", "«Firme antes de medianoche o todo será de Viktoria.»", "« Signez avant minuit, ou tout ira à Viktoria. »", "„Unterschreiben Sie vor Mitternacht, sonst erbt Viktoria.“", "“Assine antes da meia-noite ou tudo vai para Viktoria.”")),
      insert("study", "contract", {}, t("Eleven fifty-eight. The pen is out of ink.", "Las once y cincuenta y ocho. La pluma no tiene tinta.", "Vingt-trois heures cinquante-huit. Plus d’encre.", "Dreiundzwanzig Uhr achtundfünfzig. Die Feder ist leer.", "Onze e cinquenta e oito. A caneta está sem tinta.")),
      close("study", "leo", "shock", { light: "flicker" }, t("“Someone has cut the power.”", "«Alguien ha cortado la luz.»", "« On a coupé le courant. »", "„Jemand hat den Strom abgestellt.“", "“Alguém cortou a luz.”")),
      close("corridor", "viktoria", "smirk", { light: "flicker" }, t("“Good evening, granddaughter. Put down the pen.”", "«Buenas noches, nieta. Deja la pluma.»", "« Bonsoir, ma petite-fille. Posez cette plume. »", "„Guten Abend, Enkelin. Leg die Feder weg.“", "“Boa noite, neta. Largue a caneta.”")),
    ),
    episode(
      t("Lipstick", "Pintalabios", "Rouge à lèvres", "Lippenstift", "Batom"),
      pair("study", ["viktoria", "anger"], ["ada", "calm"], { light: "flicker" }, t("“No ink. No light. No proof. What will you do?”", "«Sin tinta, sin luz, sin prueba. ¿Qué harás?»", "« Ni encre, ni lumière, ni preuve. Que ferez-vous ? »", "„Keine Tinte, kein Licht, kein Beweis. Was nun?“", "“Sem tinta, sem luz, sem prova. E agora?”")),
      close("study", "ada", "smile", {}, t("“Sign in Vale red. You spilled it on me first.”", "«Firmar en rojo Vale. Usted lo derramó primero.»", "« Signer en rouge Vale. C’est vous qui m’en avez tachée. »", "„In Vale-Rot unterschreiben. Ihr Geschenk an mich.“", "“Assinar em vermelho Vale. Foi você quem me manchou.”")),
      insert("study", "contract", {}, t("The will is signed in lipstick. 11:59.", "El testamento se firma con pintalabios. 23:59.", "Le testament est signé au rouge à lèvres. 23 h 59.", "Das Testament ist mit Lippenstift signiert. 23:59.", "O testamento é assinado com batom. 23h59."), t("And one page is missing.", "Y falta una página.", "Et il manque une page.", "Und eine Seite fehlt.", "E falta uma página.")),
    ),
    episode(
      t("The Missing Page", "La página que falta", "La page manquante", "Die fehlende Seite", "A página que falta"),
      wide("office", "leo back .4, ada walk .75", {}, t("Dawn. Forty floors up. Leo will not meet her eyes.", "Amanece. Piso cuarenta. Leo evita su mirada.", "L’aube, quarantième étage. Leo fuit son regard.", "Morgengrauen, vierzigster Stock. Leo weicht ihr aus.", "Amanhece. Quadragésimo andar. Leo evita o olhar dela.")),
      close("office", "leo", "sad", {}, t("“I took the page. It says why she sent you away.”", "«Yo tomé la página. Dice por qué te echó.»", "« J’ai pris la page. Elle dit pourquoi on t’a chassée. »", "„Ich nahm die Seite. Darin steht, warum du fortmusstest.“", "“Eu peguei a página. Diz por que ela a mandou embora.”")),
      insert("office", "photo", {}, t("Viktoria, young, with a baby. Hers.", "Viktoria, joven, con un bebé. El suyo.", "Viktoria, jeune, un bébé dans les bras. Le sien.", "Viktoria, jung, mit einem Baby. Ihrem.", "Viktoria, jovem, com um bebê. O dela.")),
      close("office", "ada", "shock", {}, t("“She isn’t my grandmother.”", "«Ella no es mi abuela.»", "« Ce n’est pas ma grand-mère. »", "„Sie ist nicht meine Großmutter.“", "“Ela não é minha avó.”")),
    ),
    episode(
      t("House Red", "Tinto de la casa", "La cuvée maison", "Der rote Hauswein", "O tinto da casa"),
      wide("hall", "ada stand .35, viktoria stand .65", {}, t("The same hall. This time, the doors open for Ada.", "El mismo salón. Esta vez se abre para Ada.", "La même salle. Cette fois, elle s’ouvre pour Ada.", "Derselbe Saal. Diesmal öffnet er sich für Ada.", "O mesmo salão. Desta vez, abre-se para Ada.")),
      pair("hall", ["viktoria", "sad"], ["ada", "calm"], {}, t("“I gave you up to keep the name.”", "«Te entregué para conservar el apellido.»", "« Je t’ai abandonnée pour garder ce nom. »", "„Ich gab dich her, um den Namen zu behalten.“", "“Abri mão de você para manter o nome.”"), t("“Keep it, Mother. I kept the company.”", "«Quédatelo, madre. Yo me quedo la empresa.»", "« Gardez-le, mère. Moi, je garde l’entreprise. »", "„Behalt ihn, Mutter. Ich behalte die Firma.“", "“Fique com ele, mãe. Eu fiquei com a empresa.”")),
      wide("city", "ada back .4, leo back .6", {}, t("She pours two glasses. The first is for her mother.", "Sirve dos copas. La primera es para su madre.", "Elle sert deux verres. Le premier est pour sa mère.", "Sie füllt zwei Gläser. Das erste ist für ihre Mutter.", "Serve duas taças. A primeira é para a mãe.")),
    ),
  ],
};
