/** What the demo printed, with each step in one line however wide it is. */
export function unwrapped(text: string): string {
  return text.replaceAll(/\n {24}/g, ' ');
}
