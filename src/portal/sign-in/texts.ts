import { inLanguages, type TextsOf, type TextTable } from '../texts.ts'

const TABLE = {
  title: { fr: 'Votre espace partenaire', en: 'Your partner portal' },
  lead: {
    fr: 'Ce qu’il vous reste, quand cela revient, et ce qui n’a pas marché.',
    en: 'What is left, when it comes back, and what went wrong.',
  },
  heading: { fr: 'Connexion', en: 'Sign in' },
  explain: {
    fr: 'Avec la clé sandbox que votre opérateur vous a remise.',
    en: 'With the sandbox key that your operator gave you.',
  },
  keyId: { fr: 'Identifiant de clé', en: 'Key id' },
  keyIdHint: { fr: 'Commence par key_', en: 'Starts with key_' },
  key: { fr: 'Clé sandbox', en: 'Sandbox key' },
  keyHint: { fr: 'Commence par sk_sandbox_', en: 'Starts with sk_sandbox_' },
  send: { fr: 'Se connecter', en: 'Sign in' },
  eightHours: {
    fr: 'Vous restez connecté huit heures sur cet appareil, ou jusqu’à votre déconnexion.',
    en: 'You stay signed in on this device for eight hours, or until you sign out.',
  },
  demo: {
    fr: 'Passerelle de démonstration : la clé publiée est déjà saisie.',
    en: 'A demo gateway: the published key is filled in already.',
  },
  missing: {
    fr: 'Indiquez l’identifiant de la clé et la clé sandbox.',
    en: 'Enter both the key id and the sandbox key.',
  },
  wrong: {
    fr: 'Cet identifiant et cette clé ne vont pas ensemble, ou la clé a été révoquée. Copiez-les encore une fois, en entier.',
    en: 'This key id and sandbox key do not belong together, or the key was revoked. Copy both again, whole.',
  },
  live: {
    fr: 'Ceci ressemble à la clé de production de quelqu’un. Ce sandbox ne prend que des clés sandbox : considérez-la comme divulguée et remplacez-la.',
    en: 'This looks like somebody’s live key. This sandbox takes sandbox keys alone: regard the live key as known to others, and replace it.',
  },
  tooMany: {
    fr: (seconds: string) =>
      `Trop d’essais manqués. Attendez ${seconds} s ; la bonne clé, elle, ouvre toujours.`,
    en: (seconds: string) => `Too many wrong attempts. Wait ${seconds} s; the right key always opens.`,
  },
  stale: {
    fr: 'Ce formulaire n’est plus valable, ou votre navigateur refuse les cookies. Essayez encore une fois.',
    en: 'This form is no longer valid, or your browser refuses cookies. Please try once more.',
  },
  unreadable: {
    fr: 'Le formulaire n’a pas pu être lu. Essayez encore une fois.',
    en: 'The form could not be read. Please try once more.',
  },
  signedOut: {
    fr: 'Vous êtes déconnecté : cette session est terminée sur le serveur aussi.',
    en: 'You are signed out: the session has ended on the server too.',
  },
} as const satisfies TextTable

export type SignInTexts = TextsOf<typeof TABLE>

export const SIGN_IN_TEXTS = inLanguages(TABLE)
