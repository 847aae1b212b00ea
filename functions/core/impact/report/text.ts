import { classWords, updateWords } from '../../machine-config/class-words.ts';
import type { DiffEntry, Warning } from '../../machine-config/disruption.ts';
import { clean, redact, safeLine } from '../../text/safe-text.ts';
import type { ClusterImpact, PoolImpact } from '../report.ts';
import { nodesWords } from './nodes-words.ts';

export interface TextForm {
  /** Columns of the terminal; sentences are wrapped, diff lines are cut. */
  readonly width: number;
  /** Without diffs it fits on a screen. */
  readonly showDiff: boolean;
}

/** Columns. Limits of readable widths. */
const narrowest = 40;
const widest = 120;

/** Most characters of a single name or sentence. */
const longestSentence = 1_000;

/** The impact for a terminal: plain text, no colours, no escape sequences. */
export function impactText(impacts: readonly ClusterImpact[], form: TextForm): string {
  const width = Math.min(Math.max(Math.floor(form.width) || narrowest, narrowest), widest);
  const lines = impacts.flatMap((impact) => [...clusterLines(impact, { ...form, width }), '']);
  return impacts.length === 0 ? 'No cluster is affected.\n' : `${lines.join('\n').trimEnd()}\n`;
}

function clusterLines(impact: ClusterImpact, form: TextForm): readonly string[] {
  const { cluster, applications, pools, silent, unknown, warnings } = impact;
  const by = applications.length === 0 ? '' : ` (through ${applications.join(', ')})`;
  return [
    ...sentence(`Cluster ${cluster}${by}`, '', form),
    ...(pools.length === 0 ? sentence(noPool(impact), '  ', form) : []),
    ...pools.flatMap((pool) => poolLines(pool, form)),
    ...listLines(
      'Reaches no pool',
      silent.map(({ what, why }) => `${what}: ${why}`),
      form,
    ),
    ...listLines(
      'Unknown',
      unknown.map(({ path, why }) => `${path}: ${why}`),
      form,
    ),
    ...warningLines(warnings, '  ', form),
  ];
}

/** Nothing is said to be harmless of which a part is not known. */
function noPool({ unknown }: ClusterImpact): string {
  return unknown.length === 0
    ? 'No pool is re-rendered.'
    : 'No pool is known to be re-rendered; what is unknown may do it.';
}

function poolLines(pool: PoolImpact, form: TextForm): readonly string[] {
  const { reasons, diff, warnings, why } = pool;
  return [
    ...sentence(`Pool ${pool.pool}: ${nodesWords(pool)}; its nodes ${classWords(pool.class)}`, '  ', form),
    ...sentence(updateWords(pool.update), '    ', form),
    ...why.flatMap((each) => sentence(`because ${each}`, '    ', form)),
    ...reasons.flatMap((each) => sentence(`${each.class}: ${each.what} (${each.source}): ${each.why}`, '    ', form)),
    ...(form.showDiff ? diff.flatMap((entry) => diffLines(entry, form)) : []),
    ...warningLines(warnings, '    ', form),
  ];
}

function diffLines(entry: DiffEntry, form: TextForm): readonly string[] {
  const { before, after } = entry.source;
  const from = [before, after].filter((each, index, all) => each !== '' && all.indexOf(each) === index).join(' -> ');
  const topics = entry.security.length === 0 ? '' : `, security: ${entry.security.join(', ')}`;
  return [
    ...sentence(`${entry.change} ${entry.what} (${from === '' ? 'unknown source' : from}${topics})`, '    ', form),
    ...entry.lines.map((line) => `      ${cut(line, form.width - 6)}`),
  ];
}

/** A diff line keeps its spaces. */
function cut(line: string, room: number): string {
  const shown = redact(clean(line)).replace(/[\n\t]/g, ' ');
  return shown.length > room ? `${shown.slice(0, room - 1)}…`.toWellFormed() : shown;
}

function warningLines(warnings: readonly Warning[], indent: string, form: TextForm): readonly string[] {
  return warnings.flatMap(({ code, text, remedy }) => [
    ...sentence(`! ${code}: ${text}`, indent, form),
    ...sentence(remedy, `${indent}  `, form),
  ]);
}

function listLines(title: string, items: readonly string[], form: TextForm): readonly string[] {
  return items.length === 0 ? [] : [`  ${title}`, ...items.flatMap((item) => sentence(item, '    ', form))];
}

/** Wrapped at spaces, continued two columns further in; a word that is too long is broken. */
function sentence(text: string, indent: string, { width }: TextForm): readonly string[] {
  const words = safeLine(text, longestSentence)
    .split(' ')
    .flatMap((word) => pieces(word, width - indent.length - 2));
  const lines: string[] = [];
  let line = indent;
  for (const word of words) {
    const isStart = line.trim() === '';
    if (!isStart && line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${indent}  ${word}`;
    } else line = isStart ? `${line}${word}` : `${line} ${word}`;
  }
  return [...lines, line];
}

function pieces(word: string, room: number): readonly string[] {
  if (word.length <= room) return [word];
  return word.match(new RegExp(`.{1,${room}}`, 'gsu')) ?? [word];
}
