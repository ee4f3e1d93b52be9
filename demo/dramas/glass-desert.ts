import { close, episode, insert, pair, wide, type Drama } from "#demo/story.ts";
import { t } from "#demo/texts.ts";

const dust = { weather: "dust" } as const;

export const glassDesert: Drama = {
  slug: "glass-desert",
  title: t("Glass Desert", "Desierto de cristal", "Désert de verre", "Gläserne Wüste", "Deserto de vidro"),
  synopsis: t(
    "Three thieves, one vault under the sand, and a diamond that nobody has ever seen twice.",
    "Tres ladrones, una bóveda bajo la arena y un diamante que nadie ha visto dos veces.",
    "Trois voleurs, un coffre sous le sable et un diamant que nul n’a vu deux fois.",
    "Drei Diebe, ein Tresor unter dem Sand und ein Diamant, den niemand zweimal sah.",
    "Três ladrões, um cofre sob a areia e um diamante que ninguém viu duas vezes.",
  ),
  category: "thriller",
  tags: ["heist", "desert", "betrayal"],
  featured: true,
  palette: { sky: ["#2f9aa0", "#f3cf8e", "#f0954f"], far: "#d88a4e", mid: "#b3603a", near: "#6e3230", ink: "#2a131b", light: "#ffe6a6", accent: "#147f86" },
  cast: {
    zahra: { skin: "#b8794f", hair: "#17100e", style: "wavy", cloth: "#147f86", trim: "#ffe6a6", outfit: "robe", extras: ["earrings"] },
    dex: { skin: "#e4b08a", hair: "#8a5328", style: "short", cloth: "#efe0c2", trim: "#6e3230", outfit: "shirt", man: true, extras: ["hat", "scar"] },
    sheikh: { skin: "#a86e48", hair: "#3a332f", style: "crop", cloth: "#f6ecda", trim: "#d6a13e", outfit: "robe", man: true, extras: ["hood", "beard"] },
  },
  poster: { place: "dunes", layout: "figures", people: [{ who: "zahra", mood: "calm" }, { who: "dex", mood: "smirk" }], words: ["GLASS", "DESERT"], face: "bold", weather: "dust" },
  score: { mood: "tense", root: 52, tempo: 108 },
  episodes: [
    episode(
      t("The Map", "El mapa", "La carte", "Die Karte", "O mapa"),
      wide("dunes", "zahra walk .32, dex walk .66", dust, t("Four days from any road, they find the door.", "A cuatro días de toda carretera, hallan la puerta.", "À quatre jours de toute route, ils trouvent la porte.", "Vier Tage von jeder Straße finden sie die Tür.", "A quatro dias de qualquer estrada, acham a porta.")),
      close("dunes", "dex", "smirk", dust, t("“One diamond. Split two ways. Easy.”", "«Un diamante. Entre dos. Fácil.»", "« Un diamant. À deux. Facile. »", "„Ein Diamant. Durch zwei. Einfach.“", "“Um diamante. Dividido por dois. Fácil.”")),
      close("dunes", "zahra", "calm", dust, t("“You can’t split a diamond, Dex.”", "«Un diamante no se parte, Dex.»", "« Un diamant ne se partage pas, Dex. »", "„Einen Diamanten teilt man nicht, Dex.“", "“Não se divide um diamante, Dex.”")),
      insert("dunes", "key", dust, t("The key was her grandmother’s. So was the vault.", "La llave era de su abuela. La bóveda, también.", "La clé était à sa grand-mère. Le coffre aussi.", "Der Schlüssel gehörte ihrer Großmutter. Der Tresor auch.", "A chave era da avó. O cofre também.")),
    ),
    episode(
      t("Forty Seconds", "Cuarenta segundos", "Quarante secondes", "Vierzig Sekunden", "Quarenta segundos"),
      wide("vault", "zahra reach .3, dex stand .7", {}, t("Every forty seconds the sand above shifts. So do the locks.", "Cada cuarenta segundos la arena se mueve. Los cierres, también.", "Toutes les quarante secondes le sable bouge. Les serrures aussi.", "Alle vierzig Sekunden rutscht der Sand. Die Schlösser auch.", "A cada quarenta segundos a areia se move. As trancas também.")),
      pair("vault", ["dex", "worry"], ["zahra", "calm"], {}, t("“Where did you learn this?”", "«¿Dónde aprendiste esto?»", "« Où as-tu appris ça ? »", "„Wo hast du das gelernt?“", "“Onde aprendeu isso?”"), t("“Bedtime stories.”", "«Cuentos para dormir.»", "« Des histoires du soir. »", "„Gutenachtgeschichten.“", "“Histórias de dormir.”")),
      wide("corridor", "zahra back .42, dex back .6", dust, t("The door opens. The lights are already on.", "La puerta se abre. Las luces ya están encendidas.", "La porte s’ouvre. C’est déjà éclairé.", "Die Tür geht auf. Das Licht brennt schon.", "A porta se abre. As luzes já estão acesas.")),
    ),
    episode(
      t("The Stone", "La piedra", "La pierre", "Der Stein", "A pedra"),
      insert("vault", "diamond", {}, t("It is exactly as beautiful as they say.", "Es tan hermoso como dicen.", "Il est aussi beau qu’on le dit.", "Er ist so schön, wie man sagt.", "É tão belo quanto dizem.")),
      close("vault", "zahra", "shock", {}, t("“It’s glass.”", "«Es cristal.»", "« C’est du verre. »", "„Das ist Glas.“", "“É vidro.”")),
      close("vault", "dex", "sad", {}, t("“I know. I put it there last week.”", "«Lo sé. Yo lo puse la semana pasada.»", "« Je sais. Je l’ai posé la semaine dernière. »", "„Ich weiß. Ich legte es vorige Woche hin.“", "“Eu sei. Coloquei aí na semana passada.”")),
      wide("vault", "dex back .66, zahra reach .3", { light: "flicker" }, t("The door closes. With her inside.", "La puerta se cierra. Con ella dentro.", "La porte se referme. Sur elle.", "Die Tür fällt zu. Sie ist drinnen.", "A porta se fecha. Com ela dentro.")),
    ),
    episode(
      t("Under the Sand", "Bajo la arena", "Sous le sable", "Unter dem Sand", "Sob a areia"),
      insert("vault", "candle", {}, t("One candle. Three hours of air.", "Una vela. Aire para tres horas.", "Une bougie. Trois heures d’air.", "Eine Kerze. Luft für drei Stunden.", "Uma vela. Três horas de ar.")),
      close("vault", "zahra", "worry", { light: "flicker" }, t("“Grandmother, how did the story end?”", "«Abuela, ¿cómo acababa el cuento?»", "« Grand-mère, comment finissait l’histoire ? »", "„Großmutter, wie ging die Geschichte aus?“", "“Vovó, como acabava a história?”")),
      close("vault", "sheikh", "calm", {}, t("“With a second door.”", "«Con una segunda puerta.»", "« Par une seconde porte. »", "„Mit einer zweiten Tür.“", "“Com uma segunda porta.”"), t("“She always told it to you. She built it for me.”", "«Te la contó a ti. La construyó para mí.»", "« Elle te la contait. Elle l’a bâtie pour moi. »", "„Dir erzählte sie davon. Für mich baute sie sie.“", "“A você ela contava. Para mim ela construiu.”")),
    ),
    episode(
      t("The Buyer", "El comprador", "L’acheteur", "Der Käufer", "O comprador"),
      wide("hall", "dex stand .35, sheikh stand .68", {}, t("Dex sells the diamond at the Oasis Grand.", "Dex vende el diamante en el Gran Oasis.", "Dex vend le diamant au Grand Oasis.", "Dex verkauft den Diamanten im Grand Oasis.", "Dex vende o diamante no Grande Oásis.")),
      pair("hall", ["sheikh", "smirk"], ["dex", "worry"], {}, t("“Breathe on it, my friend. A diamond does not fog.”", "«Sople, amigo. Un diamante no se empaña.»", "« Soufflez dessus, ami. Un diamant ne s’embue pas. »", "„Hauchen Sie darauf. Ein Diamant beschlägt nicht.“", "“Sopre, amigo. Um diamante não embaça.”")),
      insert("hall", "diamond", {}, t("It fogs.", "Se empaña.", "Il s’embue.", "Er beschlägt.", "Embaça.")),
      close("hall", "dex", "shock", {}, t("“Then which one did I leave her?”", "«Entonces, ¿cuál le dejé a ella?»", "« Alors, lequel lui ai-je laissé ? »", "„Welchen habe ich ihr dann gelassen?“", "“Então qual eu deixei com ela?”")),
    ),
    episode(
      t("Twice Seen", "Visto dos veces", "Vu deux fois", "Zweimal gesehen", "Visto duas vezes"),
      wide("dunes", "zahra stand .36, dex kneel .68", dust, t("He runs back into the desert. She is waiting, with tea.", "Él vuelve corriendo al desierto. Ella espera, con té.", "Il retourne au désert. Elle l’attend, avec du thé.", "Er rennt zurück in die Wüste. Sie wartet, mit Tee.", "Ele volta correndo ao deserto. Ela espera, com chá.")),
      close("dunes", "zahra", "smile", dust, t("“I swapped them before you swapped them.”", "«Los cambié antes de que tú los cambiaras.»", "« Je les ai échangés avant toi. »", "„Ich habe sie vor dir vertauscht.“", "“Troquei antes de você trocar.”")),
      insert("dunes", "diamond", dust, t("Nobody sees it twice. Her family sells only the glass.", "Nadie lo ve dos veces. Su familia solo vende el cristal.", "Nul ne le voit deux fois. Sa famille ne vend que le verre.", "Keiner sieht ihn zweimal. Ihre Familie verkauft nur das Glas.", "Ninguém o vê duas vezes. A família só vende o vidro.")),
      wide("dunes", "zahra back .4, sheikh back .62", dust, t("“Next year, cousin?” “Find me a new Dex.”", "«¿El año que viene, primo?» «Búscame otro Dex.»", "« L’an prochain, cousin ? » « Trouve un autre Dex. »", "„Nächstes Jahr, Vetter?“ „Such mir einen neuen Dex.“", "“Ano que vem, primo?” “Ache outro Dex.”")),
    ),
  ],
};
