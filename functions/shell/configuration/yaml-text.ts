import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import type { Path, Problem } from './problem.ts';

/** A YAML text as plain data, with the position of everything in it. */
export interface YamlText {
  readonly data: unknown;
  /** Line and column, counted from 1, of what is at the path, or of the nearest thing around it. */
  position(problem: Pick<Problem, 'path' | 'at'>): Position;
  /** What is wrong with the text as YAML. */
  readonly faults: readonly { readonly what: string; readonly position: Position }[];
  /** Because of the faults it is unclear what the text means: `data` need not be checked further. */
  readonly broken: boolean;
  /** Every text in it, with its path. */
  readonly texts: readonly { readonly path: Path; readonly text: string }[];
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Reads one YAML 1.2 document. The parser's own messages quote the text, so they are not passed on. */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter();
  // The parser compares each key with all before it, which takes long where a mapping has thousands.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const { data, faults } = dataOf(document);
  const positionOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  return {
    data,
    faults: [
      ...[...document.errors, ...document.warnings].map((error) => ({
        what: faultText(error),
        position: positionOf(error.pos[0]),
      })),
      ...[...repeatedKeys(document), ...faults].map(({ what, offset }) => ({ what, position: positionOf(offset) })),
    ],
    broken: faults.length > 0 || document.errors.length > 0,
    position: ({ path, at }) => positionOf(offsetOf(document, path, at)),
    texts: textsOf(data, []),
  };
}

function dataOf(document: Document.Parsed): { readonly data: unknown; readonly faults: readonly Fault[] } {
  const faults = aliasFaults(document);
  if (faults.length > 0) return { data: undefined, faults };
  try {
    return { data: document.toJS({ maxAliasCount: 1000 }), faults };
  } catch {
    return { data: undefined, faults: [{ what: 'its aliases expand to too much', offset: 0 }] };
  }
}

interface Fault {
  readonly what: string;
  readonly offset: number;
}

function aliasFaults(document: Document.Parsed): readonly Fault[] {
  const faults: Fault[] = [];
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) !== undefined) return;
      faults.push({ what: 'this alias (*) names no anchor (&) before it', offset: alias.range?.[0] ?? 0 });
    },
  });
  return faults;
}

function repeatedKeys(document: Document.Parsed): readonly Fault[] {
  const faults: Fault[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value))
          faults.push({ what: 'the same key stands twice in one mapping', offset: key.range?.[0] ?? 0 });
        seen.add(key.value);
      }
    },
  });
  return faults;
}

function faultText({ code }: YAMLError): string {
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'a tab is used to indent; YAML wants spaces';
    case 'BAD_INDENT':
      return 'the indentation does not fit, or a bracket before it is not closed';
    case 'MULTIPLE_DOCS':
      return 'a second document begins here; there must be one';
    case 'TAG_RESOLVE_FAILED':
      return 'unknown tag (the word that begins with !)';
    case 'MISSING_CHAR':
      return 'a quote, bracket or colon is missing';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'a colon inside plain text; put the text in quotes';
    default:
      return `not YAML (${code.toLowerCase().replaceAll('_', ' ')})`;
  }
}

function offsetOf(document: Document.Parsed, path: Path, at: Problem['at']): number {
  let node: Node | null = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [index, part] of path.entries()) {
    const entry: { readonly key: unknown; readonly value: unknown } | undefined = entryOf(document, node, part);
    if (entry === undefined) return offset;
    const isLast = index === path.length - 1;
    const keyOffset = startOf(entry.key);
    const valueOffset = startOf(entry.value);
    offset = (isLast && at === 'key' ? keyOffset : (valueOffset ?? keyOffset)) ?? offset;
    node = isNode(entry.value) ? entry.value : null;
  }
  return offset;
}

function entryOf(document: Document.Parsed, node: Node | null, part: string | number) {
  const real = isAlias(node) ? node.resolve(document) : node;
  if (isMap(real))
    return real.items.find(({ key }) => (isScalar(key) ? String(key.value) : undefined) === String(part));
  if (isSeq(real) && typeof part === 'number') return { key: undefined, value: real.items[part] };
  return undefined;
}

/** An empty value has a place too, but it is behind the colon: the key is the better one. */
function startOf(node: unknown): number | undefined {
  if (!isNode(node)) return undefined;
  if (isScalar(node) && node.value === null && node.source === '') return undefined;
  return node.range?.[0];
}

function textsOf(data: unknown, path: Path): readonly { readonly path: Path; readonly text: string }[] {
  if (typeof data === 'string') return [{ path, text: data }];
  if (Array.isArray(data)) return data.flatMap((each, index) => textsOf(each, [...path, index]));
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([key, value]) => textsOf(value, [...path, key]));
}
