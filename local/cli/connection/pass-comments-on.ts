import { type Document, isCollection, isMap, isNode, isPair, isScalar, type Node, type YAMLSeq } from 'yaml';

interface Dropping {
  /** The document as it was read. */
  readonly text: string;
  /** Key of the list in the document. */
  readonly key: string;
  readonly list: YAMLSeq;
  /** Of each item. */
  readonly isDropped: readonly boolean[];
  /** The list goes, too. */
  readonly isWhole: boolean;
}

/** Comments below an item belong to it for the parser, from one that is indented as it is, or deeper, on: also those of
 *  the next item, or of the next section. To be called before items are dropped: these stay with what comes next. */
export function passCommentsOn(document: Document, { text, key, list, isDropped, isWhole }: Dropping): void {
  let passed: readonly string[] = [];
  for (const [index, item] of list.items.entries()) {
    if (!isNode(item)) continue;
    if (isDropped[index] === true) {
      const within = isWhole && index === list.items.length - 1 ? list : item;
      passed = [...passed, ...commentsLeftOf(item, { text, end: within.range?.[2] ?? 0 })];
    } else {
      precede(item, passed);
      passed = [];
    }
  }
  precede(nextKey(document, key) ?? document, passed);
}

function nextKey({ contents }: Document, key: string): Node | undefined {
  if (!isMap(contents)) return undefined;
  const at = contents.items.findIndex((pair) => isScalar(pair.key) && pair.key.value === key);
  const next = contents.items[at + 1]?.key;
  return isNode(next) ? next : undefined;
}

/** Below an item, those that stand further left than what it says, without their `#`. */
function commentsLeftOf(item: Node, { text, end }: { readonly text: string; readonly end: number }): readonly string[] {
  const start = item.range?.[0] ?? 0;
  const column = start - text.lastIndexOf('\n', start) - 1;
  const said = lastOf(item).range?.[1] ?? end;
  // A block of text ends with the line break.
  const [, ...lines] = text.slice(text[said - 1] === '\n' ? said - 1 : said, end).split('\n');
  const own = lines.findIndex((line) => isComment(line) && line.search(/\S/) < column);
  return own === -1 ? [] : lines.slice(own).flatMap((line) => (isComment(line) ? line.trim().slice(1) : []));
}

function isComment(line: string): boolean {
  return line.trimStart().startsWith('#');
}

function lastOf(node: Node): Node {
  if (!isCollection(node) || node.flow === true) return node;
  const last = node.items.at(-1);
  const inner = isPair(last) ? (last.value ?? last.key) : last;
  return isNode(inner) ? lastOf(inner) : node;
}

function precede(next: Node | Document, comments: readonly string[]): void {
  if (comments.length === 0) return;
  const before = isNode(next) ? next.commentBefore : next.comment;
  const all = [...comments, ...(typeof before === 'string' ? [before] : [])].join('\n');
  if (isNode(next)) next.commentBefore = all;
  else next.comment = all;
}
