import { clean } from '../../text/safe-text.ts';

/** Names and values come from Git: one line, no invisible characters, bounded. */
export function line(text: string): string {
  const cleaned = clean(text.slice(0, 200)).replace(/\n/g, ' ');
  return text.length > 200 ? `${cleaned}…` : cleaned;
}
