/** Shapes of secrets that people paste where a name belongs. Sources: the prefixes GitHub, GitLab, Slack, AWS and
 *  OpenShift publish for their tokens. */
const shapes: readonly RegExp[] = [
  /\bxox[a-z]?[abeoprs]-/i,
  /\bxapp-\d/,
  /hooks\.slack\.com\/(?:services|workflows|triggers)\//i,
  /\bsha256~[\w-]{20,}/,
  /\.(?<=\beyJ[\w-]{8,}\.)eyJ[\w-]{8,}\./,
  /\bgh[pousr]_\w{20,}/,
  /\bgithub_pat_\w{20,}/,
  /\bglpat-[\w-]{16,}/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\bbearer\s+\S{8,}/i,
  /:\/\/[^/\s:@]*:[^/\s@]+@/,
];

/** True for text that has the shape of a token, a private key or a URL with a password in it. */
export function looksSecret(text: string): boolean {
  return shapes.some((shape) => shape.test(text));
}

/** True for text that a generator made and no person would choose as a name: long hex, or long text that changes
 *  between small letters, capitals and digits at every second character. */
export function looksRandom(text: string): boolean {
  if (/^[0-9a-f]{32,}$/i.test(text)) return true;
  const longest = text.split(/[^A-Za-z0-9+=]+/).reduce((best, part) => (part.length > best.length ? part : best), '');
  return longest.length >= 20 && changes(longest) / longest.length > 0.45;
}

/** How often neighbours are of different classes. */
function changes(text: string): number {
  const classes = [...text].map((letter) =>
    /[a-z]/.test(letter) ? 'small' : /[A-Z]/.test(letter) ? 'capital' : 'other',
  );
  return classes.filter((each, index) => index > 0 && each !== classes[index - 1]).length;
}
