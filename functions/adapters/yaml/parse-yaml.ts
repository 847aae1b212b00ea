import { CST, type Document, isScalar, Lexer, type ParsedNode, parseDocument, type Tags, visit } from 'yaml';
import { stoppable } from './stoppable.ts';

/** What one document of a stranger may hold. Counted by the lexer, whose cost grows with the length alone, before
 *  anything is built from it. No manifest of the corpora in test/ has a tenth of it. */
export const yamlLimits = {
  /** Keys of all its mappings. 20,000 take about a third of a second. */
  keys: 30_000,
  /** The library looks for the target of an alias among all of them. */
  anchors: 500,
  /** Also how often what has a name may stand for something else in all. */
  aliases: 1_000,
  tags: 2_000,
  /** `? key`. Kubernetes takes texts for keys alone, and keys within keys cost beyond all bounds. */
  explicitKeys: 100,
  /** Brackets in brackets. */
  depth: 200,
  /** Milliseconds after which the library is stopped: what nobody thought of. A limit by the clock only makes the
   *  file one that cannot be read. */
  timeMs: 5_000,
} as const;

export type ParsedYaml = { readonly value: unknown } | { readonly fault: string };

/** Said of what was stopped. */
export const tooLong = 'it takes too long to read';

/** A document of a stranger as data. Never throws; a fault quotes nothing of the text. */
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

const tooMuch = 'it has more keys, anchors or tags than are read';
const tooDeep = 'it is nested too deeply';
const tooManyAliases = 'its aliases expand too much';

/** What is counted: how many at most, and what is said beyond. */
const counted: Readonly<Record<string, readonly [number, string]>> = {
  'map-value-ind': [yamlLimits.keys, tooMuch],
  anchor: [yamlLimits.anchors, tooMuch],
  tag: [yamlLimits.tags, tooMuch],
  'explicit-key-ind': [yamlLimits.explicitKeys, tooMuch],
  alias: [yamlLimits.aliases, tooManyAliases],
};

/** What opens a level, and what closes one. */
const levels: Readonly<Record<string, number>> = {
  'flow-map-start': 1,
  'flow-seq-start': 1,
  'flow-map-end': -1,
  'flow-seq-end': -1,
};

/** What there is too much of; undefined: nothing. */
function beyondLimits(text: string): string | undefined {
  const counts = new Map<string, number>();
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token) ?? '';
    depth += levels[type] ?? 0;
    if (depth > yamlLimits.depth) return tooDeep;
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
    // The library compares each key with every other one of its mapping.
    uniqueKeys: false,
  });
  if (document.errors.length > 0 || !hasPlainKeys(document)) return { fault: 'it is not valid YAML' };
  return { value: document.toJS({ maxAliasCount: yamlLimits.aliases }) };
}

/** Every key is a text, number or the like, and stands once in its mapping: Kubernetes takes nothing else, and the
 *  library writes out what stands in a key once for each level of it. */
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

/** Without what Kubernetes' own YAML reader does not do: dates, numbers to the base of sixty, sets and ordered maps. */
function kubernetesTags(tags: Tags): Tags {
  return tags.filter((tag) => {
    if (typeof tag === 'string') return true;
    const isSixty = 'format' in tag && tag.format === 'TIME';
    return !isSixty && !/:(?:timestamp|set|omap|pairs|binary)$/.test(tag.tag);
  });
}
