import { inLanguages, type PlainNames, type TextsOf, type TextTable } from './texts.ts'

/** A number that stays on one line. */
const EXAMPLE = '+225 07 00 00 00 01'.replaceAll(' ', '\u00a0')

/**
 * Everything that the widget says, in every language of ours; the type asks for each.
 */
const TABLE = {
  title: { fr: 'Vérifiez votre identité', en: 'Verify your identity' },
  errorTitle: {
    fr: (title: string) => `Erreur – ${title}`,
    en: (title: string) => `Error – ${title}`,
  },
  lead: {
    fr: 'vous demande quelques informations. Deux minutes suffisent.',
    en: 'asks you for a few details. It takes two minutes.',
  },
  validUntil: {
    fr: (time: string) => `Lien valable jusqu’à ${time} UTC`,
    en: (time: string) => `Link valid until ${time} UTC`,
  },
  timeLeft: { fr: 'Temps restant', en: 'Time left' },
  minutesLeft: {
    fr: (minutes: string) => `Il reste ${minutes} min pour envoyer le formulaire.`,
    en: (minutes: string) => `${minutes} min left to send the form.`,
  },
  sandboxNote: {
    fr: 'Environnement de test : utilisez des informations inventées, jamais celles d’une vraie personne.',
    en: 'This is a test environment: use made-up details, never those of a real person.',
  },
  optional: { fr: '(facultatif)', en: '(optional)' },

  phone: { fr: 'Numéro de téléphone', en: 'Phone number' },
  phoneHint: {
    fr: `Avec l’indicatif du pays, par exemple ${EXAMPLE}`,
    en: `With the country code, for example ${EXAMPLE}`,
  },
  phoneKnown: {
    fr: (ending: string) => `Numéro terminant par ${ending}`,
    en: (ending: string) => `Number ending in ${ending}`,
  },
  phoneOther: { fr: 'Utiliser un autre numéro', en: 'Use another number' },
  phoneOtherLabel: { fr: 'Autre numéro', en: 'Other number' },
  identity: { fr: 'Votre identité', en: 'Your identity' },
  firstName: { fr: 'Prénoms', en: 'First names' },
  lastName: { fr: 'Nom de famille', en: 'Last name' },
  dateOfBirth: { fr: 'Date de naissance', en: 'Date of birth' },
  dateHint: { fr: 'Par exemple 12 04 1990', en: 'For example 12 04 1990' },
  day: { fr: 'Jour', en: 'Day' },
  month: { fr: 'Mois', en: 'Month' },
  year: { fr: 'Année', en: 'Year' },
  country: { fr: 'Pays', en: 'Country' },
  choose: { fr: 'Choisissez', en: 'Choose' },
  westAfrica: { fr: 'Afrique de l’Ouest', en: 'West Africa' },
  otherCountries: { fr: 'Autres pays', en: 'Other countries' },
  document: { fr: 'Pièce d’identité', en: 'Identity document' },
  documentType: { fr: 'Type de pièce', en: 'Kind of document' },
  documentNumber: { fr: 'Numéro de la pièce', en: 'Document number' },
  documentNumberHint: {
    fr: 'Tel qu’il est imprimé, lettres et chiffres',
    en: 'As printed, letters and digits',
  },
  nationalId: { fr: 'Carte nationale d’identité', en: 'National identity card' },
  passport: { fr: 'Passeport', en: 'Passport' },
  voterCard: { fr: 'Carte d’électeur', en: 'Voter card' },
  drivingLicence: { fr: 'Permis de conduire', en: 'Driving licence' },
  residencePermit: { fr: 'Titre de séjour', en: 'Residence permit' },
  send: { fr: 'Envoyer', en: 'Send' },
  sending: { fr: 'Envoi en cours…', en: 'Sending…' },

  oneProblem: { fr: 'Un point est à corriger', en: 'One thing needs your attention' },
  problems: {
    fr: (count: string) => `${count} points sont à corriger`,
    en: (count: string) => `${count} things need your attention`,
  },
  phoneMissing: { fr: 'Indiquez votre numéro de téléphone.', en: 'Enter your phone number.' },
  phoneNoPlus: {
    fr: `Commencez par le signe + et l’indicatif du pays, par exemple ${EXAMPLE}.`,
    en: `Start with a plus sign and the country code, for example ${EXAMPLE}.`,
  },
  phoneInvalid: {
    fr: 'Ce numéro ne semble pas complet : il faut le signe + puis 7 à 15 chiffres.',
    en: 'This number does not look complete: it needs a plus sign, then 7 to 15 digits.',
  },
  firstNameMissing: { fr: 'Indiquez vos prénoms.', en: 'Enter your first names.' },
  firstNameInvalid: {
    fr: 'Raccourcissez vos prénoms : 100 caractères au plus.',
    en: 'Shorten your first names to 100 characters at most.',
  },
  lastNameMissing: { fr: 'Indiquez votre nom de famille.', en: 'Enter your last name.' },
  lastNameInvalid: {
    fr: 'Raccourcissez votre nom : 100 caractères au plus.',
    en: 'Shorten your last name to 100 characters at most.',
  },
  dateMissing: { fr: 'Indiquez votre date de naissance.', en: 'Enter your date of birth.' },
  dateIncomplete: {
    fr: 'Complétez la date de naissance : jour, mois et année.',
    en: 'Complete your date of birth: day, month and year.',
  },
  dateNotReal: {
    fr: 'Cette date de naissance n’existe pas : vérifiez le jour, le mois et l’année à quatre chiffres.',
    en: 'This date of birth does not exist: check the day, the month and the four-digit year.',
  },
  dateNotPast: {
    fr: 'La date de naissance doit être dans le passé.',
    en: 'The date of birth must be in the past.',
  },
  countryMissing: { fr: 'Choisissez votre pays dans la liste.', en: 'Choose your country from the list.' },
  documentTypeMissing: {
    fr: 'Choisissez le type de la pièce dont vous avez saisi le numéro.',
    en: 'Choose the kind of document whose number you entered.',
  },
  documentNumberMissing: {
    fr: 'Indiquez le numéro de la pièce choisie, ou ne choisissez aucune pièce.',
    en: 'Enter the number of the document you chose, or choose no document.',
  },
  documentNumberInvalid: {
    fr: 'Raccourcissez le numéro de la pièce : 40 caractères au plus.',
    en: 'Shorten the document number to 40 characters at most.',
  },
  formInvalid: {
    fr: 'Une information n’a pas pu être lue. Vérifiez le formulaire.',
    en: 'Something could not be read. Please check the form.',
  },
  tryAgainSoon: {
    fr: 'Rien n’a été envoyé : le service est momentanément indisponible. Vos réponses sont encore là, réessayez dans quelques secondes.',
    en: 'Nothing was sent: the service is unavailable for a moment. Your answers are still here, try again in a few seconds.',
  },

  approvedTitle: { fr: 'Votre identité est vérifiée', en: 'Your identity is verified' },
  approvedLead: { fr: 'C’est terminé, merci.', en: 'All done, thank you.' },
  approvedNext: {
    fr: (partner: string) => `${partner} connaît le résultat. Vous n’avez plus rien à faire ici.`,
    en: (partner: string) => `${partner} has the result. There is nothing more to do here.`,
  },
  rejectedTitle: {
    fr: 'Nous n’avons pas pu vérifier votre identité',
    en: 'We could not verify your identity',
  },
  rejectedLead: { fr: 'Voici ce que vous pouvez faire.', en: 'Here is what you can do.' },
  rejectedNext: {
    fr: (partner: string) =>
      `Demandez un nouveau lien à ${partner}, puis vérifiez chaque information avant de l’envoyer. Donnez la référence ci-dessous si vous avez besoin d’aide.`,
    en: (partner: string) =>
      `Ask ${partner} for a new link, then check every detail before you send it. Quote the reference below if you need help.`,
  },
  outcomeApproved: { fr: 'Vérification réussie', en: 'Verification successful' },
  outcomeRejected: { fr: 'Vérification refusée', en: 'Verification declined' },
  reference: { fr: 'Référence', en: 'Reference' },
  decidedAt: { fr: 'Décision du', en: 'Decided on' },
  reason: { fr: 'Code, pour les développeurs', en: 'Code, for developers' },
  returnTo: {
    fr: (partner: string) => `Retourner chez ${partner}`,
    en: (partner: string) => `Return to ${partner}`,
  },

  expiredTitle: { fr: 'Ce lien a expiré', en: 'This link has expired' },
  expiredLead: {
    fr: 'Pour votre sécurité, un lien ne reste ouvert qu’un court moment.',
    en: 'For your safety, a link stays open only for a short time.',
  },
  expiredNext: {
    fr: (partner: string) =>
      `Demandez un nouveau lien à ${partner} et ouvrez-le sans attendre. Si vous aviez déjà envoyé le formulaire, le résultat est déjà connu : vous n’avez rien à refaire.`,
    en: (partner: string) =>
      `Ask ${partner} for a new link and open it soon. If you had already sent the form, they have the result and you need not send it again.`,
  },
  unknownTitle: { fr: 'Ce lien n’existe pas', en: 'There is no such link' },
  unknownLead: { fr: 'Il est peut-être incomplet.', en: 'It may be incomplete.' },
  unknownNext: {
    fr: 'Ouvrez le lien exactement comme vous l’avez reçu. S’il ne fonctionne toujours pas, demandez-en un nouveau à l’entreprise qui vous l’a envoyé.',
    en: 'Open the link exactly as you received it. If it still does not work, ask the company that sent it for a new one.',
  },
  limitedTitle: { fr: 'Trop de demandes à la fois', en: 'Too many requests at once' },
  limitedLead: { fr: 'Patientez un instant.', en: 'Please wait a moment.' },
  limitedNext: {
    fr: (seconds: string) => `Réessayez dans ${seconds} secondes. Vous ne perdez pas votre place.`,
    en: (seconds: string) => `Try again in ${seconds} seconds. Your link stays the same.`,
  },
  cappedTitle: { fr: 'Pas de vérification possible pour le moment', en: 'No verification possible for now' },
  cappedLead: { fr: 'Cela ne vient pas de vous.', en: 'It is nothing you did.' },
  cappedNext: {
    fr: (partner: string) =>
      `${partner} a atteint son nombre de vérifications pour cette période. Rien n’a été envoyé. Demandez-leur un nouveau lien plus tard.`,
    en: (partner: string) =>
      `${partner} has reached its number of verifications for this period. Nothing was sent. Ask them for a new link later.`,
  },
  busyTitle: {
    fr: 'Le service est momentanément indisponible',
    en: 'The service is unavailable for a moment',
  },
  busyLead: { fr: 'Rien n’a été envoyé.', en: 'Nothing was sent.' },
  busyNext: {
    fr: 'Réessayez dans quelques secondes : votre lien reste le même.',
    en: 'Try again in a few seconds: your link stays the same.',
  },
  brokenTitle: { fr: 'Le formulaire n’a pas pu être lu', en: 'The form could not be read' },
  brokenLead: { fr: 'Rien n’a été envoyé.', en: 'Nothing was sent.' },
  brokenNext: {
    fr: 'Ouvrez de nouveau le formulaire depuis cette page et remplissez-le encore une fois.',
    en: 'Open the form again from this page and fill it in once more.',
  },
  faultTitle: { fr: 'Un problème est survenu de notre côté', en: 'Something went wrong on our side' },
  faultLead: { fr: 'Toutes nos excuses.', en: 'We are sorry.' },
  faultNext: {
    fr: 'Ouvrez de nouveau le lien. Si le problème persiste, donnez la référence ci-dessous à l’entreprise qui vous l’a envoyé.',
    en: 'Open the link again. If the problem persists, give the reference below to the company that sent it.',
  },
  theCompany: { fr: 'l’entreprise qui vous a envoyé ce lien', en: 'the company that sent you this link' },
  again: { fr: 'Réessayer', en: 'Try again' },
  openAgain: { fr: 'Ouvrir le formulaire', en: 'Open the form' },
} as const satisfies TextTable

export type Texts = TextsOf<typeof TABLE>
/** The names of texts that need nothing filled in. */
export type PlainTextName = PlainNames<Texts>

export const TEXTS = inLanguages(TABLE)
