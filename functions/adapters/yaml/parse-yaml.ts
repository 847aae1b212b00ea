import { CST, type Document, isScalar, Lexer, type ParsedNode, parseDocument, type Tags, visit } from 'yaml';
import { stoppable } from './stoppable.ts';

/** Limits for one untrusted document, checked with the lexer, which is linear, before the document is parsed. */
export const yamlLimits = {
  /** Keys of all mappings. 20,000 take about a third of a second. */
  keys: 30_000,
  /** Each alias searches all anchors and aliases before it. */
  anchors: 500,
  /** Also the library's limit for what they expand to. */
  aliases: 1_000,
  tags: 2_000,
  /** `? key`. Kubernetes has no use for them, and nested ones cost exponential time. */
  explicitKeys: 100,
  /** Values of a document, each alias counted as all that it stands for: who compares or writes a document walks
   *  through them. */
  values: 200_000,
  /** Nested brackets and braces. */
  depth: 200,
  /** Milliseconds after which parsing is stopped, as a last resort. The file is then unreadable, which counts as a
   *  match. */
  timeMs: 5_000,
} as const;

export type ParsedYaml = { readonly value: unknown } | { readonly fault: string };

/** The fault of a document whose parsing was stopped. */
export const tooLong = 'it takes too long to read';

/** Parses an untrusted document. Never throws; a fault quotes nothing of the text. */
export function parseYaml(text: string, timeMs: number = yamlLimits.timeMs): ParsedYaml {
  try {
    const parsed = stoppable(() => build(text), timeMs);
    return parsed.kind === 'stopped' ? { fault: tooLong } : parsed.value;
  } catch (cause) {
    if (cause instanceof RangeError) return { fault: tooDeep };
    const isUnresolved = cause instanceof Error && cause.message.startsWith('Unresolved alias');
    return { fault: isUnresolved ? 'it is not valid YAML' : tooManyAliases };
  }
}

const ambiguous = 'readers of YAML differ on it';
const tooMuch = 'it has more keys, anchors or tags than are read';
const tooDeep = 'it is nested too deeply';
const tooManyAliases = 'its aliases expand too much';

/** Tags that mean the same to every reader. Others can hide a value: Go decodes `!!binary`, and escapes in a tag. */
const knownTag = /^!(?:!(?:str|int|float|bool|null|map|seq))?$/;

/** By token type: how many are allowed, and the fault beyond that. */
const counted: Readonly<Record<string, readonly [number, string]>> = {
  'map-value-ind': [yamlLimits.keys, tooMuch],
  anchor: [yamlLimits.anchors, tooMuch],
  tag: [yamlLimits.tags, tooMuch],
  'explicit-key-ind': [yamlLimits.explicitKeys, tooMuch],
  alias: [yamlLimits.aliases, tooManyAliases],
};

/** Tokens that open or close a level. */
const levels: Readonly<Record<string, number>> = {
  'flow-map-start': 1,
  'flow-seq-start': 1,
  'flow-map-end': -1,
  'flow-seq-end': -1,
};

/** The first limit that the text exceeds, as a fault. */
function beyondLimits(text: string): string | undefined {
  const counts = new Map<string, number>();
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token) ?? '';
    depth += levels[type] ?? 0;
    if (depth > yamlLimits.depth) return tooDeep;
    if (type === 'tag' && !knownTag.test(token)) return ambiguous;
    const [most, why] = counted[type] ?? [];
    if (most === undefined) continue;
    const count = (counts.get(type) ?? 0) + 1;
    if (count > most) return why;
    counts.set(type, count);
  }
  return undefined;
}

function build(text: string): ParsedYaml {
  const beyond = beyondLimits(text);
  if (beyond !== undefined) return { fault: beyond };
  // YAML 1.1, as Argo CD and kubectl read it: `mode: 0644` is octal there.
  const document = parseDocument(text, {
    version: '1.1',
    customTags: kubernetesTags,
    prettyErrors: false,
    logLevel: 'silent',
    // The library's check compares each key with every other one.
    uniqueKeys: false,
  });
  if (document.errors.length > 0 || !hasPlainKeys(document)) return { fault: 'it is not valid YAML' };
  if (!mergesFirst(document)) return { fault: ambiguous };
  const value: unknown = document.toJS({ maxAliasCount: yamlLimits.aliases });
  return valuesIn(value, new Map()) > yamlLimits.values ? { fault: tooManyAliases } : { value };
}

/** Each object is counted once, however many aliases lead to it, and added for each of them. */
function valuesIn(value: unknown, known: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1;
  const before = known.get(value);
  if (before !== undefined) return before;
  const count = Object.values(value).reduce((sum: number, each) => sum + valuesIn(each, known), 1);
  known.set(value, count);
  return count;
}

/** Every key is a scalar and unique in its mapping. Kubernetes accepts nothing else, and the library's conversion of
 *  nested keys is exponential. */
function hasPlainKeys(document: Document.Parsed<ParsedNode>): boolean {
  let isPlain = true;
  visit(document, {
    Map(_key, map) {
      const keys = new Set(map.items.map(({ key }) => (isScalar(key) ? key.value : undefined)));
      isPlain = keys.size === map.items.length && map.items.every(({ key }) => key === null || isScalar(key));
      return isPlain ? undefined : visit.BREAK;
    },
  });
  return isPlain;
}

/** `<<` is the first key of its mapping. Further down it replaces the keys before it for Go's reader (yaml.v2
 *  decode.go `mapping`), and none of them for others. */
function mergesFirst(document: Document.Parsed<ParsedNode>): boolean {
  let isFirst = true;
  visit(document, {
    Map(_key, map) {
      isFirst = map.items.slice(1).every(({ key }) => !isScalar(key) || !isMergeKey(key.value));
      return isFirst ? undefined : visit.BREAK;
    },
  });
  return isFirst;
}

/** The library resolves a plain `<<` to a symbol. */
function isMergeKey(value: unknown): boolean {
  return value === '<<' || (typeof value === 'symbol' && value.description === '<<');
}

/** Without what Kubernetes' own YAML reader does not do: dates, numbers to the base of sixty, sets and ordered maps. */
function kubernetesTags(tags: Tags): Tags {
  return tags.filter((tag) => {
    if (typeof tag === 'string') return true;
    const isSixty = 'format' in tag && tag.format === 'TIME';
    return !isSixty && !/:(?:timestamp|set|omap|pairs|binary)$/.test(tag.tag);
  });
}
