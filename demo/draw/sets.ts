import { backdrop, clouds, dune, grass, kelp, moon, pine, ridge, rocks, sea, stars, tree } from "./nature.ts";
import { chandelier, curtain, floor, house, lamp, lighthouse, shelves, skyline, window } from "./buildings.ts";
import { circle, darker, ellipse, frame, glow, lighter, line, linear, mix, path, rect, repeat, type Palette, type Random } from "./svg.ts";

/** A place in three planes; `back` fills the frame, the others are see-through. Feet stand at y 1060. */
export type Place = { back: string; middle: string; front: string };
type Builder = (p: Palette, random: Random) => Place;

const left = -frame.bleed;
const wide = frame.width + frame.bleed * 2;

const wall = (p: Palette): string => linear("wall", p.sky) + rect(left, -60, wide, 1400, "url(#wall)");
const ground = (p: Palette, y: number, colour: string): string => linear("ground", [colour, p.ink]) + rect(left, y, wide, 1340 - y, "url(#ground)");
const nightView = (p: Palette, random: Random, y: number): string => linear("view", [p.ink, p.far, mix(p.far, p.light, 0.4)]) + rect(left, -60, wide, 1400, "url(#view)") + skyline(random, y, 380, darker(p.far, 0.35), p.light, 0.4);
const leaves = (random: Random, x: number, colour: string, way: number): string => repeat(7, (index) => path(`M${x} 1340 q${way * (60 + index * 34)} ${-140 - index * 34} ${way * (90 + index * 40)} ${-60 - random() * 300} q${way * -10} ${170 + index * 10} ${way * -90 - way * index * 40} ${360}Z`, index % 2 ? colour : darker(colour, 0.25)));

const places = {
  city: (p, random) => ({
    back: backdrop(p) + stars(random, 70, "#ffffff", 420) + moon(540, 260, 74, p.light) + clouds(random, 5, 300, p.light, 0.14) + skyline(random, 900, 620, mix(p.far, p.sky[2], 0.25), p.light, 0.22),
    middle: skyline(random, 1010, 430, p.mid, p.light, 0.36) + ground(p, 1010, p.near),
    front: line(`M${left} 1150 H${left + wide} M${left} 1230 H${left + wide}`, p.ink, 16) + repeat(9, (index) => rect(left + index * 118, 1140, 16, 200, p.ink)) + rect(left, 1136, wide, 12, p.light, 'opacity=".35"'),
  }),
  street: (p, random) => ({
    back: backdrop(p) + skyline(random, 820, 560, mix(p.far, p.sky[2], 0.35), p.light, 0.16) + glow("haze", 360, 820, 460, p.light, 0.4),
    middle:
      path(`M${left} 1340 V160 L150 300 V960 L60 1340Z`, p.mid) + path(`M${left + wide} 1340 V100 L580 280 V960 L660 1340Z`, p.near) +
      repeat(8, (index) => rect(-70 + (index % 2) * 110, 360 + Math.floor(index / 2) * 140, 62, 86, index % 3 ? p.light : p.ink, 'opacity=".8"') + rect(610 + (index % 2) * 106, 320 + Math.floor(index / 2) * 150, 60, 92, index % 3 === 1 ? p.light : p.ink, 'opacity=".75"')) +
      ground(p, 960, p.near) + repeat(16, () => ellipse(left + random() * wide, 990 + random() * 320, 40 + random() * 90, 5 + random() * 6, p.light, 'opacity=".2"')) + path("M90 760 q60 -70 120 0Z", p.accent) + lamp(190, 1010, p) + lamp(530, 970, p, 330),
    front: path(`M${left} 1340 V1180 q120 -40 210 160Z`, p.ink) + line(`M${left} 90 Q300 190 ${left + wide} 60`, p.ink, 5) + repeat(9, (index) => circle(-60 + index * 105, 108 + Math.sin(index / 2.6) * 38, 12, index % 2 ? p.light : p.accent)),
  }),
  coast: (p, random) => ({
    back: backdrop(p) + stars(random, 50, "#ffffff", 380) + clouds(random, 9, 160, lighter(p.far, 0.15), 0.35) + ridge(random, 700, 60, mix(p.far, p.sky[2], 0.5)) + sea(p, random, 690),
    middle: path(`M260 1340 L330 900 L420 860 L520 800 L690 790 L${left + wide} 830 V1340Z`, p.mid) + path(`M420 860 L520 800 L500 1000 L440 1180Z M690 790 L660 980 L730 1200 L${left + wide} 1300 V830Z`, darker(p.mid, 0.3)) + lighthouse(600, 806, p),
    front: rocks(p, 1110),
  }),
  sea: (p, random) => ({
    back: backdrop(p) + moon(250, 330, 80, p.light) + clouds(random, 7, 380, p.light, 0.2) + sea(p, random, 660),
    middle: ground(p, 1060, mix(p.near, "#7a5238", 0.35)) + repeat(9, (index) => rect(left + index * 110, 1060, 104, 280, darker(mix(p.near, "#7a5238", 0.35), 0.1 * (index % 3)))) + repeat(3, (index) => rect(-40 + index * 340, 950, 36, 240, p.ink) + rect(-46 + index * 340, 940, 48, 16, p.near)),
    front: line(`M${left} 1190 Q140 1270 360 1196 T${left + wide} 1190`, darker(p.light, 0.5), 18) + rect(80, 1130, 50, 210, p.ink) + rect(600, 1130, 50, 210, p.ink),
  }),
  reef: (p, random) => ({
    back: backdrop(p) + repeat(6, (index) => path(`M${120 + index * 90} -60 L${-120 + index * 170} 1340 H${20 + index * 170} L${170 + index * 90} -60Z`, p.light, 'opacity=".08"')) + ridge(random, 900, 260, mix(p.far, p.sky[2], 0.4), 5, true) + repeat(7, (index) => { const x = 60 + random() * 600; const y = 200 + random() * 420; return path(`M${x} ${y} q26 -22 56 0 l20 -14 v28 l-20 -14 q-30 22 -56 0Z`, index % 2 ? p.light : p.accent, 'opacity=".6"'); }),
    middle: ridge(random, 1080, 120, p.mid) + kelp(40, random, darker(p.mid, 0.25), 700) + kelp(690, random, darker(p.mid, 0.15), 820) + repeat(12, (index) => circle(left + index * 84, 1090 + (index % 3) * 30, 46, index % 2 ? p.accent : mix(p.accent, p.mid, 0.5), 'opacity=".8"') + circle(left + 14 + index * 84, 1076 + (index % 3) * 30, 16, lighter(p.accent, 0.35), 'opacity=".5"')),
    front: kelp(-60, random, p.ink, 900) + kelp(780, random, p.ink, 640) + ridge(random, 1290, 60, p.ink),
  }),
  dunes: (p, random) => ({
    back: backdrop(p) + glow("sun", 470, 420, 420, p.light, 0.9) + circle(470, 420, 104, lighter(p.light, 0.35)) + clouds(random, 4, 420, p.light, 0.3) + path("M40 790 L170 560 L300 790Z M260 790 L350 640 L450 790Z", mix(p.far, p.sky[2], 0.4)) + path("M170 560 L300 790 H210Z M350 640 L450 790 H380Z", p.far, 'opacity=".7"') + dune(800, 200, mix(p.far, p.light, 0.25), p.far, "d1"),
    middle: dune(930, 560, mix(p.mid, p.light, 0.35), p.mid, "d2") + dune(1040, 120, mix(p.mid, p.light, 0.2), p.near, "d3"),
    front: path(`M${left} 1340 V1210 Q200 1150 420 1250 T${left + wide} 1220 V1340Z`, p.ink) + repeat(3, (index) => path(`M${30 + index * 26} 1250 q-10 -90 ${index * 18 - 20} -150 q24 60 10 150Z`, p.ink)),
  }),
  village: (p, random) => ({
    back: backdrop(p) + stars(random, 110, "#ffffff", 600) + path(`M${left} 300 Q200 150 420 260 T${left + wide} 180 V330 Q500 250 300 380 T${left} 420Z`, p.accent, 'opacity=".16"') + ridge(random, 780, 260, mix(p.far, p.sky[2], 0.3), 4, true) + ridge(random, 860, 110, lighter(p.far, 0.1)) + repeat(12, (index) => pine(left + index * 86 + random() * 40, 900, 130 + random() * 90, p.mid, lighter(p.sky[2], 0.3))),
    middle: house(-60, 1010, 240, 150, p, { snow: true }) + house(470, 1000, 270, 170, p, { snow: true }) + house(210, 960, 190, 120, p, { snow: true }) + path("M286 800 V640 L312 560 L338 640 V800Z", mix(p.mid, p.near, 0.6)) + circle(312, 690, 14, p.light) + linear("snow", [lighter(p.sky[2], 0.62), mix(p.sky[2], p.far, 0.4)]) + path(`M${left} 1340 V1000 Q200 960 400 1000 T${left + wide} 990 V1340Z`, "url(#snow)"),
    front: pine(-40, 1360, 520, p.ink, mix(p.sky[2], p.ink, 0.4)) + pine(760, 1350, 430, p.ink, mix(p.sky[2], p.ink, 0.4)),
  }),
  forest: (p, random) => ({
    back: backdrop(p) + glow("mist", 360, 560, 520, p.light, 0.55) + repeat(9, (index) => tree(left + 40 + index * 108, random, mix(p.far, p.sky[1], 0.4), 18)),
    middle: repeat(5, (index) => tree(-60 + index * 210, random, p.mid, 34)) + path(`M${left} 1340 V1020 Q300 970 ${left + wide} 1030 V1340Z`, p.near) + repeat(5, (index) => path(`M${180 + index * 90} -60 L${-60 + index * 120} 1100 H${30 + index * 120} L${240 + index * 90} -60Z`, p.light, 'opacity=".06"')),
    front: tree(-70, random, p.ink, 70) + tree(800, random, p.ink, 60) + grass(random, 1240, p.ink),
  }),
  station: (p, random) => ({
    back: backdrop(p) + stars(random, 40, "#ffffff", 300) + skyline(random, 800, 200, p.far, p.light, 0.25) + rect(left, 560, wide, 330, mix(p.mid, "#000000", 0.2)) + rect(left, 540, wide, 34, p.accent) + repeat(7, (index) => rect(left + 30 + index * 134, 620, 96, 130, p.light, 'opacity=".92"') + rect(left + 30 + index * 134, 690, 96, 60, darker(p.light, 0.25), 'opacity=".6"') + circle(left + 78 + index * 134, 690, 17, p.ink, `opacity="${index % 2}"`)) + rect(left, 800, wide, 12, p.light, 'opacity=".5"') + rect(left, 890, wide, 60, p.ink),
    middle: ground(p, 940, mix(p.near, p.mid, 0.5)) + rect(left, 940, wide, 14, p.light, 'opacity=".55"') + path(`M${left} 230 L${left + wide} 130 V190 L${left} 300Z`, p.near) + rect(60, 200, 26, 780, p.near) + rect(620, 160, 26, 800, p.near) + line("M86 400 Q200 250 330 232 M620 360 Q520 230 420 216", p.near, 16) + circle(360, 330, 70, p.ink) + circle(360, 330, 58, lighter(p.light, 0.5)) + line("M360 330 V290 M360 330 L388 346", p.ink, 7),
    front: glow("f", 690, 150, 240, p.light, 0.4) + path(`M-80 1340 V1150 h150 v-30 h60 v220Z`, p.ink) + rect(-60, 1130, 110, 26, darker(p.accent, 0.5)),
  }),
  compartment: (p, random) => ({
    back: nightView(p, random, 800) + moon(220, 260, 50, p.light) + pine(80, 840, 220, p.ink) + pine(520, 850, 280, p.ink) + pine(650, 840, 190, p.ink),
    middle:
      `<path fill-rule="evenodd" fill="${p.mid}" d="M${left} -60 h${wide} V1340 h-${wide}Z M70 190 q0 -30 30 -30 h520 q30 0 30 30 v440 q0 30 -30 30 h-520 q-30 0 -30 -30Z"/>` +
      line("M70 190 q0 -30 30 -30 h520 q30 0 30 30 v440 q0 30 -30 30 h-520 q-30 0 -30 -30Z", darker(p.light, 0.35), 14) + curtain(40, 130, 90, 560, p.accent) + curtain(590, 130, 90, 560, p.accent) + rect(left, 60, wide, 26, darker(p.light, 0.4)) + repeat(9, (index) => line(`M${left + 20 + index * 110} 60 v-90`, darker(p.light, 0.4), 8)) +
      path(`M${left} 1340 V780 q20 -60 120 -50 q90 0 100 90 V1060 h60 V1340Z`, p.accent) + path(`M${left + wide} 1340 V780 q-20 -60 -120 -50 q-90 0 -100 90 V1060 h-60 V1340Z`, darker(p.accent, 0.2)) + rect(260, 850, 200, 20, darker(p.light, 0.35)) + rect(346, 870, 28, 200, p.near) + ground(p, 1070, p.near) + path("M330 850 l12 -70 h36 l12 70Z", p.ink) + path("M316 790 q44 -70 88 0Z", p.light) + glow("tl", 360, 780, 240, p.light, 0.55),
    front: path(`M${left} 1340 V1230 h240 q40 0 40 110Z`, p.ink) + rect(560, 1190, 190, 150, p.ink) + rect(610, 1170, 90, 22, p.ink),
  }),
  hall: (p, random) => ({
    back: wall(p) + repeat(3, (index) => window(10 + index * 250, 240, 190, 560, p, nightView(p, random, 760), true)) + repeat(4, (index) => rect(-90 + index * 250, 150, 56, 830, mix(p.far, p.light, 0.12)) + rect(-100 + index * 250, 140, 76, 34, mix(p.far, p.light, 0.3))) + rect(left, 100, wide, 40, mix(p.far, p.light, 0.22)),
    middle: floor(p, 980, mix(p.mid, p.accent, 0.25)) + path("M160 1340 L280 980 H440 L560 1340Z", p.accent, 'opacity=".5"') + curtain(left, -60, 130, 1080, p.accent) + curtain(700, -60, 130, 1080, p.accent) + chandelier(360, 120, p),
    front: ellipse(20, 1350, 190, 130, p.ink) + rect(0, 1130, 9, 130, p.light) + rect(40, 1150, 9, 110, p.light) + circle(4, 1118, 12, "#fff3cf") + circle(44, 1138, 12, "#fff3cf") + leaves(random, 780, p.ink, -1),
  }),
  office: (p, random) => ({
    back: nightView(p, random, 980) + moon(160, 230, 60, p.light) + skyline(random, 1050, 300, p.near, p.light, 0.5),
    middle: rect(left, -60, wide, 130, p.mid) + repeat(4, (index) => rect(-60 + index * 270, -60, 18, 1040, p.mid)) + rect(left, 520, wide, 12, p.mid) + floor(p, 960, p.near) + path("M70 900 H650 L690 940 H30Z", mix(p.mid, p.light, 0.3)) + rect(60, 940, 600, 160, darker(p.mid, 0.25)) + rect(60, 940, 600, 8, p.light, 'opacity=".5"') + rect(470, 800, 130, 90, p.ink) + rect(478, 808, 114, 74, mix(p.accent, p.light, 0.3), 'opacity=".7"') + rect(528, 890, 14, 14, p.ink) + path("M130 900 v-60 h14 v60Z M104 846 q34 -52 68 0Z", p.accent) + glow("desk", 138, 870, 170, p.light, 0.5),
    front: leaves(random, -80, p.ink, 1) + path("M520 1340 q0 -170 90 -170 q100 0 110 170Z", p.ink),
  }),
  study: (p, random) => ({
    back: wall(p) + shelves(random, -100, 120, 330, 6, p) + shelves(random, 490, 120, 330, 6, p) + window(270, 200, 180, 470, p, nightView(p, random, 640), true),
    middle: floor(p, 960, mix(p.mid, "#5a3420", 0.4)) + ellipse(360, 1120, 330, 80, p.accent, 'opacity=".45"') + path("M170 880 H560 V912 H170Z", mix("#6b3f26", p.mid, 0.3)) + rect(190, 912, 26, 160, mix("#4b2b1a", p.mid, 0.3)) + rect(514, 912, 26, 160, mix("#4b2b1a", p.mid, 0.3)) + rect(230, 846, 90, 34, "#f3e9d6") + path("M470 880 v-90 h10 v90Z M436 792 q40 -70 80 0Z", p.light) + glow("sl", 476, 800, 260, p.light, 0.7),
    front: path(`M${left} 1340 V1060 q0 -70 80 -70 q90 0 96 120 V1340Z`, p.ink) + path("M640 1340 q20 -140 120 -140 h80 V1340Z", p.ink),
  }),
  ward: (p, random) => ({
    back: wall(p) + window(300, 180, 320, 430, p, nightView(p, random, 600)) + rect(left, 700, wide, 16, p.light, 'opacity=".35"') + rect(60, 300, 150, 110, p.ink) + line("M70 360 h30 l12 -34 l16 66 l14 -46 l10 14 h48", p.light, 5) + rect(128, 410, 14, 380, p.far),
    middle: floor(p, 960, mix(p.mid, p.far, 0.4)) + path("M-60 940 V740 q0 -30 30 -30 h20 v200 h560 v-100 h40 v260 h-26 v-90 H-20 v90 h-40Z", p.near) + path("M-10 850 Q200 800 550 860 V930 H-10Z", lighter(p.far, 0.55)) + ellipse(60, 830, 84, 40, "#f4f6f8") + line("M660 980 V330 h-50", p.far, 9) + path("M586 340 h46 v70 q-23 26 -46 0Z", p.accent, 'opacity=".75"'),
    front: curtain(left, -60, 150, 1400, darker(p.mid, 0.3)) + path("M560 1340 v-110 h220 v110Z", p.ink),
  }),
  corridor: (p) => ({
    back: wall(p) + path(`M${left} -60 L250 380 V900 L${left} 1340Z`, p.mid) + path(`M${left + wide} -60 L470 380 V900 L${left + wide} 1340Z`, p.near) + path(`M${left} 1340 L250 900 H470 L${left + wide} 1340Z`, darker(p.near, 0.25)) + path(`M${left} -60 L250 380 H470 L${left + wide} -60Z`, p.far) + repeat(4, (index) => { const y = -20 + index * 110; const half = 190 - index * 46; return path(`M${360 - half} ${y} H${360 + half} L${360 + half * 0.8} ${y + 40} H${360 - half * 0.8}Z`, lighter(p.light, 0.3), 'opacity=".9"'); }) + glow("end", 360, 640, 300, p.light, 0.85) + rect(300, 520, 120, 380, p.ink) + rect(310, 530, 100, 370, mix(p.light, p.accent, 0.2)),
    middle: repeat(2, (index) => path(`M${-70 + index * 170} ${200 + index * 130} L${40 + index * 130} ${300 + index * 80} V${1150 - index * 130} L${-70 + index * 170} ${1280 - index * 160}Z`, darker(p.mid, 0.35)) + path(`M${790 - index * 170} ${200 + index * 130} L${680 - index * 130} ${300 + index * 80} V${1150 - index * 130} L${790 - index * 170} ${1280 - index * 160}Z`, darker(p.near, 0.3))) + path("M300 900 H420 L600 1340 H120Z", p.light, 'opacity=".16"'),
    front: rect(left, -60, 90, 1400, p.ink) + rect(740, -60, 90, 1400, p.ink),
  }),
  arena: (p, random) => ({
    back: wall(p) + repeat(3, (row) => repeat(12, (index) => { const x = left + index * 84 + (row % 2) * 42; const y = 560 + row * 110; return ellipse(x, y, 28, 34, mix(p.far, p.ink, row * 0.25)) + path(`M${x - 54} ${y + 130} q0 -90 54 -92 q54 2 54 92Z`, mix(p.far, p.ink, row * 0.25 + random() * 0.1)); })) + path("M300 -60 L-60 1340 H780 L420 -60Z", p.light, 'opacity=".13"') + path("M330 -60 L120 1340 H600 L390 -60Z", p.light, 'opacity=".14"'),
    middle: floor(p, 940, p.near) + ellipse(360, 1080, 350, 90, p.light, 'opacity=".22"') + path("M190 870 H530 L580 910 H140Z", mix(p.mid, p.light, 0.35)) + repeat(8, (index) => path(`M${196 + index * 41} 872 h41 l2 16 h-43Z`, index % 2 ? p.ink : "#f5efe2")) + rect(140, 910, 440, 22, p.mid) + rect(330, 930, 60, 150, p.mid) + repeat(6, (index) => path(`M${226 + index * 50} 872 l6 -44 q-8 -18 6 -26 q14 8 6 26 l6 44Z`, index % 2 ? p.accent : "#f5efe2")),
    front: repeat(5, (index) => ellipse(-40 + index * 200, 1290, 56, 66, p.ink) + path(`M${-150 + index * 200} 1400 q10 -90 110 -90 q100 0 110 90Z`, p.ink)),
  }),
  vault: (p) => ({
    back: wall(p) + repeat(5, (row) => repeat(7, (index) => rect(left + 20 + index * 134, 90 + row * 170, 120, 156, mix(p.far, p.light, 0.08 * ((index + row) % 3)), `stroke="${p.ink}" stroke-width="4"`) + circle(left + 80 + index * 134, 168 + row * 170, 10, p.light))),
    middle: floor(p, 980, p.near) + circle(360, 600, 330, p.mid) + circle(360, 600, 330, "none", `stroke="${darker(p.light, 0.3)}" stroke-width="26"`) + repeat(12, (index) => circle(360 + 290 * Math.cos((index * Math.PI) / 6), 600 + 290 * Math.sin((index * Math.PI) / 6), 18, p.light)) + circle(360, 600, 220, p.near) + circle(360, 600, 180, "none", `stroke="${p.light}" stroke-width="12"`) + line("M360 470 V730 M230 600 H490 M268 508 L452 692 M452 508 L268 692", p.light, 18) + circle(360, 600, 52, p.accent) + glow("vg", 360, 600, 330, p.light, 0.3),
    front: path(`M${left} 1340 V1200 h130 v-40 h90 v180Z`, p.ink) + repeat(4, (index) => rect(600 + index * 20, 1240 - index * 40, 150, 36, index % 2 ? darker(p.light, 0.4) : darker(p.light, 0.55))),
  }),
  lantern: (p, random) => ({
    back: backdrop(p) + stars(random, 60, "#ffffff", 500) + clouds(random, 8, 200, p.far, 0.6) + sea(p, random, 820),
    middle: repeat(4, (index) => rect(-60 + index * 270, -60, 20, 1100, p.near)) + rect(left, 300, wide, 16, p.near) + floor(p, 1000, p.near) + glow("lens", 360, 560, 520, p.light, 0.95) + path("M230 860 Q160 560 300 300 H420 Q560 560 490 860Z", lighter(p.light, 0.3), 'opacity=".75"') + repeat(8, (index) => line(`M${250 - Math.sin((index * Math.PI) / 7) * 40} ${350 + index * 66} H${470 + Math.sin((index * Math.PI) / 7) * 40}`, darker(p.light, 0.3), 7)) + circle(360, 580, 70, "#fffbe8") + rect(240, 860, 240, 160, p.mid) + rect(230, 850, 260, 20, darker(p.light, 0.4)),
    front: path(`M${left} 1340 V1220 H${left + wide} V1340Z`, p.ink) + repeat(10, (index) => rect(left + index * 100, 1120, 12, 140, p.ink)) + rect(left, 1110, wide, 16, p.ink),
  }),
  cafe: (p, random) => ({
    back: wall(p) + window(-20, 200, 400, 480, p, nightView(p, random, 660)) + shelves(random, 470, 160, 320, 3, p) + rect(470, 620, 320, 180, p.ink) + repeat(4, (index) => circle(500 + index * 66, 700, 20, p.light, 'opacity=".8"')),
    middle: repeat(3, (index) => line(`M${120 + index * 240} -60 V150`, p.ink, 5) + path(`M${70 + index * 240} 210 q50 -110 100 0Z`, p.accent) + glow(`p${index}`, 120 + index * 240, 210, 170, p.light, 0.6)) + floor(p, 980, mix(p.mid, "#6a4028", 0.35)) + rect(left, 820, wide, 26, mix(p.light, "#7a4a2a", 0.6)) + rect(left, 846, wide, 150, mix(p.near, p.accent, 0.15)) + repeat(4, (index) => path(`M${110 + index * 150} 820 v-34 h44 v34Z`, "#f6eee0") + line(`M${154 + index * 150} 794 q18 6 0 18`, "#f6eee0", 5)),
    front: ellipse(90, 1330, 240, 90, p.ink) + path("M60 1250 v-60 h70 v60Z", "#f6eee0") + line("M84 1176 q-14 -24 4 -44 M108 1176 q-14 -24 4 -44", "#ffffff", 5, 'opacity=".5"'),
  }),
  kitchen: (p) => ({
    back: wall(p) + repeat(9, (row) => repeat(10, (index) => rect(left + index * 96, 60 + row * 96, 92, 92, mix(p.far, p.light, 0.05 * ((index + row) % 2)), 'opacity=".6"'))) + rect(left, 330, wide, 18, p.near) + repeat(6, (index) => line(`M${20 + index * 130} 348 v40`, p.ink, 5) + path(`M${-22 + index * 130} 388 h84 l-8 ${54 + (index % 2) * 40} h-68Z`, mix(p.light, p.accent, 0.5)) + rect(-22 + index * 130, 388, 84, 10, lighter(p.light, 0.3))),
    middle: path("M200 -60 H520 L600 240 H120Z", mix(p.near, p.light, 0.15)) + floor(p, 1000, p.near) + rect(left, 800, wide, 22, lighter(p.far, 0.4)) + rect(left, 822, wide, 190, p.mid) + repeat(4, (index) => rect(left + 40 + index * 230, 850, 190, 140, darker(p.mid, 0.3)) + rect(left + 100 + index * 230, 868, 70, 8, p.light)) + repeat(3, (index) => path(`M${90 + index * 230} 800 q0 -70 26 -70 h60 q26 0 26 70Z`, darker(p.light, 0.45 - index * 0.1)) + path(`M${112 + index * 230} 730 q-20 -60 10 -96 q0 40 22 40 q6 -40 30 -60 q-4 60 20 116Z`, p.accent, 'opacity=".75"')) + glow("fire", 360, 720, 360, p.light, 0.5),
    front: rect(left, 1230, wide, 120, p.ink) + path("M520 1230 q60 -70 150 0Z", p.accent) + path("M60 1230 l140 -60 l10 18 l-120 42Z", lighter(p.far, 0.5)),
  }),
  garden: (p, random) => ({
    back: backdrop(p) + glow("sun", 360, 560, 480, p.light, 0.75) + clouds(random, 6, 200, "#ffffff", 0.28) + ridge(random, 800, 130, mix(p.far, p.sky[2], 0.4)) + ridge(random, 870, 80, p.far),
    middle: ground(p, 960, p.mid) + path("M300 960 H420 L560 1340 H160Z", lighter(p.sky[2], 0.4), 'opacity=".6"') + line("M130 1040 V460 Q360 180 590 460 V1040", mix(p.near, "#ffffff", 0.75), 20) + repeat(26, (index) => { const angle = Math.PI * (index / 25); return circle(360 - Math.cos(angle) * 232 + (random() - 0.5) * 34, 470 - Math.sin(angle) * 146 + (random() - 0.5) * 40, 20 + random() * 20, [p.accent, lighter(p.accent, 0.45), mix(p.mid, "#3f7a4a", 0.5)][index % 3] ?? p.accent); }) + repeat(12, (index) => circle(index % 2 ? 128 : 592, 560 + index * 40, 14 + random() * 16, index % 3 ? mix(p.mid, "#3f7a4a", 0.5) : p.accent)),
    front: leaves(random, -90, darker(p.near, 0.3), 1) + leaves(random, 810, darker(p.near, 0.3), -1) + repeat(9, () => circle(left + random() * wide, 1190 + random() * 120, 15 + random() * 14, p.accent)),
  }),
} satisfies Record<string, Builder>;

export type PlaceName = keyof typeof places;

export function place(name: PlaceName, palette: Palette, random: Random): Place {
  return places[name](palette, random);
}

export const placeNames: readonly string[] = Object.keys(places);
