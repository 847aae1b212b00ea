import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startVitest } from 'vitest/node';

const root = join(import.meta.dirname, '..');

/** `npm run test:random [-- name ...]`: every property once more, at a seed that nobody chose. */
const seed = process.env['POOLKEEPER_SEED'] ?? String(randomInt(2 ** 31));
process.env['POOLKEEPER_SEED'] = seed;
console.log(`the seed of this run: ${seed}; POOLKEEPER_SEED=${seed} npm run test:random plays it again`);

const names = process.argv.length > 2 ? process.argv.slice(2) : filesWithProperties();
// It sets the exit code, and the reporter of `npm test` writes the closing line.
const vitest = await startVitest([...names], { config: join(root, 'vitest.config.ts'), watch: false, run: true });
await vitest.close();

function filesWithProperties(): readonly string[] {
  return readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !/^(?:cluster|cloud)\//.test(path))
    .filter((path) => /from '(?:\.\.?\/)+property\.ts'/.test(readFileSync(join(import.meta.dirname, path), 'utf8')))
    .map((path) => join('test', path));
}
