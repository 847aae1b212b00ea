import { describe, expect, test } from 'vitest';
import { type SourceFile, sourceFiles } from './source-files.ts';

/** Where this machine is asked for the time, for waiting, for a turn and for chance; everybody else is handed them. The
 *  script of the page is a text for browsers. */
const askers =
  /^functions\/adapters\/time\/|^local\/run\/(?:accelerated-clock|time-waited)\.ts$|^functions\/status\/page\/live\.ts$/;

/** Time, waiting, turns and chance by the names that Node gives them. */
const globals = [
  /(?<!\.)\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b|\bglobalThis\b/,
  /\bprocess\.(?:nextTick|hrtime|uptime)\b/,
  /(?<!\.)\bperformance\./,
  /\bDate\.now\b|\bnew Date(?:\(\s*\)|(?!\())|(?<!new )\bDate\(/,
  /\bAbortSignal\.timeout\b/,
  /\bMath\.random\b|\brandom(?:UUID|Bytes|Int|Fill|FillSync)\b|\bgetRandomValues\b/,
];
const modules = /^(?:node:)?(?:timers(?:\/promises)?|perf_hooks)$/;

const files = sourceFiles(['events', 'functions', 'local/run']);

/** Templates are kept: they hold code. */
function codeOf({ text }: SourceFile): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').replace(/'(?:[^'\\\n]|\\.)*'/g, "''");
}

function asked(file: SourceFile): readonly string[] {
  const code = codeOf(file);
  const found = globals.flatMap((name) => name.exec(code)?.[0] ?? []);
  return [...found, ...file.imports.filter((target) => modules.test(target))];
}

describe('time, waiting, turns and chance', () => {
  test('come through a port everywhere but in one place, so that an installation can run on simulated ones', () => {
    const guilty = files
      .filter(({ path }) => !askers.test(path))
      .flatMap((file) => asked(file).map((what) => `${file.path}: ${what}`));

    expect(guilty).toEqual([]);
  });

  test('are constructed by the composition roots, not by other adapters', () => {
    const guilty = files.filter(
      ({ path, imports }) =>
        !/^functions\/shell\/services\/|^local\//.test(path) &&
        imports.some((target) => target.startsWith('functions/adapters/time/')),
    );

    expect(guilty.map(({ path }) => path)).toEqual([]);
  });

  test.each([
    'const at = new Date();',
    'const at = new Date;',
    'const at = Date();',
    'const at = `$\u007bDate.now()}`;',
    'setTimeout(run, 10);',
    'const later = setImmediate;',
    'import { setTimeout as sleep } from "x"',
    'await scheduler.wait(1), queueMicrotask(run)',
    'process.nextTick(run)',
    'globalThis.setInterval(run, 10)',
    'const begun = performance.now();',
    'const id = crypto.randomUUID();',
    'crypto.getRandomValues(bytes)',
    'const jitter = Math.random() * 100;',
    'fetch(url, { signal: AbortSignal.timeout(10) })',
  ])('%s is seen', (text) => {
    expect(asked({ path: 'functions/x.ts', text, code: text, imports: [] })).not.toEqual([]);
  });

  test.each(['new Date(0)', 'new Date(ms)', 'clock.setTimeout(run, 10)', 'isDate(value)'])(
    '%s is something else',
    (text) => {
      expect(asked({ path: 'functions/x.ts', text, code: text, imports: [] })).toEqual([]);
    },
  );
});
