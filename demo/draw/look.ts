export type HairStyle =
  | 'long'
  | 'bob'
  | 'bun'
  | 'short'
  | 'slick'
  | 'curly'
  | 'wavy'
  | 'braid'
  | 'bald'
  | 'ponytail'
  | 'crop'

export type Outfit = 'suit' | 'gown' | 'coat' | 'shirt' | 'uniform' | 'robe' | 'sweater' | 'chef' | 'shell'

export type Extra =
  | 'glasses'
  | 'beard'
  | 'moustache'
  | 'hat'
  | 'crown'
  | 'hood'
  | 'cap'
  | 'earrings'
  | 'robot'
  | 'scar'
  | 'toque'

export type Look = {
  skin: string
  hair: string
  style: HairStyle
  cloth: string
  trim: string
  outfit: Outfit
  man?: boolean
  old?: boolean
  extras?: readonly Extra[]
}
