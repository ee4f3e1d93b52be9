import { close, episode, insert, pair, wide, type Drama } from "#demo/story.ts";
import { t } from "#demo/texts.ts";

export const nurse7: Drama = {
  slug: "nurse-7",
  title: t("Nurse 7", "Enfermera 7", "Infirmière 7", "Schwester 7", "Enfermeira 7"),
  synopsis: t(
    "The night nurse in ward nine is a machine due for scrap. Her last patient is the boy who drew her.",
    "La enfermera de noche es una máquina destinada al desguace. Su último paciente es el niño que la dibujó.",
    "L’infirmière de nuit est une machine promise à la casse. Son dernier patient : l’enfant qui l’a dessinée.",
    "Die Nachtschwester ist eine Maschine vor der Verschrottung. Ihr letzter Patient: der Junge, der sie zeichnete.",
    "A enfermeira da noite é uma máquina condenada à sucata. Seu último paciente é o menino que a desenhou.",
  ),
  category: "scifi",
  tags: ["robot", "hospital", "family"],
  badge: "new",
  palette: { sky: ["#cfeee8", "#a5d8d6", "#7fb8c4"], far: "#8fc7c9", mid: "#4f8f9c", near: "#2b5a6c", ink: "#12303f", light: "#fff4cf", accent: "#ff7d8a" },
  cast: {
    seven: { skin: "#e6eff0", hair: "#9fb4b8", style: "bald", cloth: "#f3f8f8", trim: "#ff7d8a", outfit: "shell", extras: ["robot"] },
    noah: { skin: "#edc19c", hair: "#4a2f22", style: "crop", cloth: "#7fb8e0", trim: "#ffffff", outfit: "shirt" },
    amara: { skin: "#7a4c34", hair: "#120d0c", style: "bun", cloth: "#ffffff", trim: "#4f8f9c", outfit: "coat", extras: ["glasses"] },
  },
  poster: { place: "corridor", layout: "hero", people: [{ who: "seven", mood: "smile" }], words: ["NURSE 7"], face: "thin" },
  score: { mood: "tender", root: 53, tempo: 76 },
  episodes: [
    episode(
      t("Night Shift", "Turno de noche", "Garde de nuit", "Nachtschicht", "Plantão noturno"),
      wide("ward", "seven walk .35", {}, t("Ward nine, 3 a.m. The oldest nurse is eleven years old.", "Sala nueve, 3:00. La enfermera más vieja tiene once años.", "Salle neuf, 3 h. La plus vieille infirmière a onze ans.", "Station neun, 3 Uhr. Die älteste Schwester ist elf.", "Ala nove, 3h. A enfermeira mais velha tem onze anos.")),
      close("ward", "noah", "calm", {}, t("“You tick. Did you know you tick?”", "«Haces tictac. ¿Lo sabías?»", "« Tu fais tic-tac. Tu le savais ? »", "„Du tickst. Weißt du, dass du tickst?“", "“Você faz tique-taque. Sabia?”")),
      close("ward", "seven", "smile", {}, t("“I am counting your breaths. One million so far.”", "«Cuento tus respiraciones. Van un millón.»", "« Je compte tes respirations. Un million déjà. »", "„Ich zähle deine Atemzüge. Bisher eine Million.“", "“Conto suas respirações. Um milhão até agora.”")),
      insert("ward", "chip", {}, t("Message from Administration: Unit 7, scrap on Friday.", "Mensaje de Administración: unidad 7, desguace el viernes.", "Message de la direction : unité 7, à la casse vendredi.", "Von der Verwaltung: Einheit 7, Freitag verschrotten.", "Da Administração: unidade 7, sucata na sexta.")),
    ),
    episode(
      t("The Drawing", "El dibujo", "Le dessin", "Die Zeichnung", "O desenho"),
      insert("ward", "photo", {}, t("A drawing, years old: a nurse with a red antenna.", "Un dibujo de hace años: una enfermera con antena roja.", "Un vieux dessin : une infirmière à l’antenne rouge.", "Eine alte Zeichnung: eine Schwester mit roter Antenne.", "Um desenho antigo: uma enfermeira de antena vermelha.")),
      close("ward", "noah", "smile", {}, t("“I drew you when I was five. My mum built you.”", "«Te dibujé a los cinco. Mi madre te construyó.»", "« Je t’ai dessinée à cinq ans. Maman t’a construite. »", "„Ich hab dich mit fünf gezeichnet. Mama hat dich gebaut.“", "“Desenhei você aos cinco. Minha mãe a construiu.”")),
      close("ward", "seven", "shock", {}, t("“My maker had no child on file.”", "«Mi creadora no tenía hijos registrados.»", "« Ma créatrice n’avait pas d’enfant au dossier. »", "„Meine Erbauerin hatte laut Akte kein Kind.“", "“Minha criadora não tinha filhos no registro.”")),
      wide("corridor", "amara stand .5", {}, t("In the corridor, a doctor deletes a file.", "En el pasillo, una doctora borra un archivo.", "Dans le couloir, une médecin efface un fichier.", "Im Flur löscht eine Ärztin eine Akte.", "No corredor, uma médica apaga um arquivo.")),
    ),
    episode(
      t("Friday", "Viernes", "Vendredi", "Freitag", "Sexta"),
      wide("corridor", "seven walk .35, amara stand .68", {}, t("Friday. Two men with a trolley are early.", "Viernes. Dos hombres con un carro llegan pronto.", "Vendredi. Deux hommes et un chariot, en avance.", "Freitag. Zwei Männer mit Karren sind zu früh.", "Sexta. Dois homens com um carrinho chegam cedo.")),
      pair("ward", ["amara", "worry"], ["seven", "calm"], {}, t("“He needs a heart by morning. There is none.”", "«Necesita un corazón antes del alba. No hay.»", "« Il lui faut un cœur avant l’aube. Il n’y en a pas. »", "„Er braucht bis morgen ein Herz. Es gibt keins.“", "“Ele precisa de um coração até de manhã. Não há.”")),
      insert("ward", "chip", {}, t("Pump, titanium, warm. Serial number 7.", "Bomba de titanio, tibia. Número de serie 7.", "Pompe en titane, tiède. Numéro de série 7.", "Pumpe, Titan, warm. Seriennummer 7.", "Bomba de titânio, morna. Número de série 7.")),
      close("ward", "seven", "closed", { light: "flicker" }, t("“There is one. I have been keeping it for him.”", "«Hay uno. Se lo estaba guardando.»", "« Il y en a un. Je le gardais pour lui. »", "„Es gibt eins. Ich habe es für ihn aufgehoben.“", "“Há um. Eu o guardava para ele.”")),
    ),
    episode(
      t("Warranty", "Garantía", "Garantie", "Garantie", "Garantia"),
      wide("ward", "amara reach .36, seven sit .68", {}, t("Six hours. One surgeon. No permission.", "Seis horas. Una cirujana. Ningún permiso.", "Six heures. Une chirurgienne. Aucune autorisation.", "Sechs Stunden. Eine Chirurgin. Keine Erlaubnis.", "Seis horas. Uma cirurgiã. Nenhuma permissão.")),
      close("ward", "amara", "sad", {}, t("“I deleted him to protect him. His mother asked me.”", "«Lo borré para protegerlo. Su madre me lo pidió.»", "« Je l’ai effacé pour le protéger. Sa mère me l’a demandé. »", "„Ich löschte ihn zum Schutz. Seine Mutter bat darum.“", "“Apaguei-o para protegê-lo. A mãe dele pediu.”")),
      close("ward", "seven", "smile", {}, t("“I know. She asked me, too.”", "«Lo sé. A mí también me lo pidió.»", "« Je sais. À moi aussi. »", "„Ich weiß. Mich auch.“", "“Eu sei. A mim também.”"), t("Then the light in her eyes goes out.", "Luego se apaga la luz de sus ojos.", "Puis la lumière de ses yeux s’éteint.", "Dann erlischt das Licht in ihren Augen.", "Então a luz dos olhos dela se apaga.")),
    ),
    episode(
      t("Ticking", "Tictac", "Tic-tac", "Ticken", "Tique-taque"),
      wide("ward", "noah sit .5", {}, t("Noah wakes. The room is very quiet. Almost.", "Noah despierta. La sala está en silencio. Casi.", "Noah se réveille. Tout est silencieux. Presque.", "Noah wacht auf. Es ist ganz still. Fast.", "Noah acorda. O quarto está em silêncio. Quase.")),
      close("ward", "noah", "shock", {}, t("“I tick.”", "«Hago tictac.»", "« Je fais tic-tac. »", "„Ich ticke.“", "“Faço tique-taque.”")),
      close("ward", "amara", "sad", {}, t("“She’s in a crate. They collect it at noon.”", "«Está en una caja. La recogen a mediodía.»", "« Elle est dans une caisse. Ils passent à midi. »", "„Sie liegt in einer Kiste. Mittags wird sie geholt.“", "“Está numa caixa. Vêm buscá-la ao meio-dia.”")),
      close("ward", "noah", "anger", {}, t("“Then bring me my crayons. And a screwdriver.”", "«Tráigame mis ceras. Y un destornillador.»", "« Alors mes crayons. Et un tournevis. »", "„Dann bringen Sie meine Stifte. Und einen Schraubenzieher.“", "“Então traga meus lápis. E uma chave de fenda.”")),
    ),
    episode(
      t("Nurse 8", "Enfermera 8", "Infirmière 8", "Schwester 8", "Enfermeira 8"),
      insert("ward", "letter", {}, t("A new design, in crayon: same antenna, bigger battery.", "Nuevo diseño, a la cera: misma antena, más batería.", "Nouveau plan, au crayon : même antenne, grosse batterie.", "Neuer Entwurf in Wachs: gleiche Antenne, größerer Akku.", "Novo projeto, a giz: mesma antena, bateria maior.")),
      wide("corridor", "noah walk .35, amara walk .62", {}, t("The whole night shift carries the crate back up.", "Todo el turno de noche sube la caja.", "Toute l’équipe de nuit remonte la caisse.", "Die ganze Nachtschicht trägt die Kiste hinauf.", "O plantão inteiro carrega a caixa de volta.")),
      close("ward", "seven", "calm", { light: "flicker" }, t("“Good… evening. How many breaths did I miss?”", "«Buenas… noches. ¿Cuántas respiraciones perdí?»", "« Bon… soir. Combien de respirations ai-je manquées ? »", "„Guten … Abend. Wie viele Atemzüge habe ich verpasst?“", "“Boa… noite. Quantas respirações perdi?”")),
      close("ward", "noah", "smile", {}, t("“None. I counted them for you.”", "«Ninguna. Las conté por ti.»", "« Aucune. Je les ai comptées pour toi. »", "„Keinen. Ich habe für dich gezählt.“", "“Nenhuma. Contei por você.”")),
    ),
  ],
};
