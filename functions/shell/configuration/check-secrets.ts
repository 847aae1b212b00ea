import type { Path, Problem } from './problem.ts';
import { looksRandom, looksSecret } from './secret-looking.ts';

interface Text {
  readonly path: Path;
  readonly text: string;
}

/** Texts that are a secret where only the name of one belongs. The text itself appears in no message. */
export function checkSecrets(texts: readonly Text[]): readonly Problem[] {
  return texts
    .filter(({ path, text }) => looksSecret(text) || (namesSecret(path) && looksRandom(text)))
    .map(({ path }) => ({
      path,
      what: 'looks like a secret; this file holds only names of secrets',
      hint: 'store it in Secrets Manager or in the environment, write that name here, and replace the secret: it has been in a file',
      at: 'value',
    }));
}

/** `tokenSecret`, `urlSecret` and whatever somebody takes for such a key. */
function namesSecret(path: Path): boolean {
  return /secret|token|password/i.test(String(path.at(-1)));
}
