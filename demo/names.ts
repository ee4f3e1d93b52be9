import { t, type Texts } from '#demo/texts.ts'

/** Names of the demo's categories by slug. */
export const categoryNames: Readonly<Record<string, Texts>> = {
  romance: t('Romance', 'Romance', 'Romance', 'Romantik', 'Romance'),
  mystery: t('Mystery', 'Misterio', 'Mystère', 'Mystery', 'Mistério'),
  thriller: t('Thriller', 'Suspense', 'Thriller', 'Thriller', 'Suspense'),
  fantasy: t('Fantasy', 'Fantasía', 'Fantastique', 'Fantasy', 'Fantasia'),
  comedy: t('Comedy', 'Comedia', 'Comédie', 'Komödie', 'Comédia'),
  drama: t('Drama', 'Drama', 'Drame', 'Drama', 'Drama'),
  scifi: t('Science fiction', 'Ciencia ficción', 'Science-fiction', 'Science-Fiction', 'Ficção científica'),
}

/** Names of the demo's tags by slug. */
export const tagNames: Readonly<Record<string, Texts>> = {
  betrayal: t('Betrayal', 'Traición', 'Trahison', 'Verrat', 'Traição'),
  books: t('Books', 'Libros', 'Livres', 'Bücher', 'Livros'),
  chess: t('Chess', 'Ajedrez', 'Échecs', 'Schach', 'Xadrez'),
  comedy: t('Comedy', 'Comedia', 'Comédie', 'Komödie', 'Comédia'),
  'contract-marriage': t(
    'Contract marriage',
    'Matrimonio por contrato',
    'Mariage sous contrat',
    'Vertragsehe',
    'Casamento por contrato',
  ),
  desert: t('Desert', 'Desierto', 'Désert', 'Wüste', 'Deserto'),
  family: t('Family', 'Familia', 'Famille', 'Familie', 'Família'),
  ghost: t('Ghost', 'Fantasma', 'Fantôme', 'Geist', 'Fantasma'),
  heist: t('Heist', 'Atraco', 'Braquage', 'Coup', 'Assalto'),
  hospital: t('Hospital', 'Hospital', 'Hôpital', 'Krankenhaus', 'Hospital'),
  kitchen: t('Kitchen', 'Cocina', 'Cuisine', 'Küche', 'Cozinha'),
  lighthouse: t('Lighthouse', 'Faro', 'Phare', 'Leuchtturm', 'Farol'),
  love: t('Love', 'Amor', 'Amour', 'Liebe', 'Amor'),
  mermaid: t('Mermaid', 'Sirena', 'Sirène', 'Meerjungfrau', 'Sereia'),
  office: t('Office', 'Oficina', 'Bureau', 'Büro', 'Escritório'),
  prodigy: t('Prodigy', 'Prodigio', 'Prodige', 'Wunderkind', 'Prodígio'),
  revenge: t('Revenge', 'Venganza', 'Vengeance', 'Rache', 'Vingança'),
  robot: t('Robot', 'Robot', 'Robot', 'Roboter', 'Robô'),
  sea: t('Sea', 'Mar', 'Mer', 'Meer', 'Mar'),
  'secret-heir': t('Secret heir', 'Heredera secreta', 'Héritier caché', 'Geheime Erbin', 'Herdeira secreta'),
  spies: t('Spies', 'Espías', 'Espions', 'Spione', 'Espiões'),
  'time-loop': t('Time loop', 'Bucle temporal', 'Boucle temporelle', 'Zeitschleife', 'Ciclo temporal'),
  train: t('Train', 'Tren', 'Train', 'Zug', 'Trem'),
  village: t('Village', 'Pueblo', 'Village', 'Dorf', 'Aldeia'),
  whodunit: t('Whodunit', '¿Quién fue?', 'Enquête', 'Wer war’s?', 'Quem foi?'),
  winter: t('Winter', 'Invierno', 'Hiver', 'Winter', 'Inverno'),
}
