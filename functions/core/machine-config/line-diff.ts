/** Most lines per side between the common start and the common end for a line-by-line comparison; more are shown as
 *  replaced. The cost is the product of both sides. */
const mostCompared = 1_000;

/** Lines of context around a change, as in `diff -u`. */
const context = 3;

/** A line as it is shown. */
export interface ComparedLine {
  readonly shown: string;
  /** What it is compared by as well, and never shown: of a line that is masked, the line itself. */
  readonly raw: string;
}

function isSameLine(left: ComparedLine | undefined, right: ComparedLine | undefined): boolean {
  return left?.shown === right?.shown && left?.raw === right?.raw;
}

/** A unified diff of two texts, without file names. Empty if they are equal. */
export function lineDiff(before: readonly ComparedLine[], after: readonly ComparedLine[]): readonly string[] {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  if (old.length === 0 && now.length === 0) return [];
  const lines: readonly Line[] = [
    ...before.slice(Math.max(0, start - context), start).map(kept),
    ...(Math.max(old.length, now.length) > mostCompared ? replaced(old, now) : compared(old, now)),
    ...before.slice(before.length - end, before.length - end + context).map(kept),
  ];
  return hunks(lines, Math.max(0, start - context));
}

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

function kept({ shown: text }: ComparedLine): Line {
  return { mark: ' ', text };
}

function removed({ shown: text }: ComparedLine): Line {
  return { mark: '-', text };
}

function added({ shown: text }: ComparedLine): Line {
  return { mark: '+', text };
}

function replaced(old: readonly ComparedLine[], now: readonly ComparedLine[]): readonly Line[] {
  return [...old.map(removed), ...now.map(added)];
}

function commonStart(before: readonly ComparedLine[], after: readonly ComparedLine[]): number {
  const most = Math.min(before.length, after.length);
  let count = 0;
  while (count < most && isSameLine(before[count], after[count])) count += 1;
  return count;
}

function commonEnd(before: readonly ComparedLine[], after: readonly ComparedLine[], start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let count = 0;
  while (count < most && isSameLine(before.at(-1 - count), after.at(-1 - count))) count += 1;
  return count;
}

/** By the longest common subsequence; removals come before additions. */
function compared(old: readonly ComparedLine[], now: readonly ComparedLine[]): readonly Line[] {
  const isRemovalBest = commonLengths(old, now);
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const left = old[row];
    const right = now[column];
    if (left !== undefined && isSameLine(left, right)) {
      lines.push(kept(left));
      row += 1;
      column += 1;
    } else if (left !== undefined && isRemovalBest(row, column)) {
      lines.push(removed(left));
      row += 1;
    } else {
      if (right !== undefined) lines.push(added(right));
      column += 1;
    }
  }
  return lines;
}

/** For each position in the two texts, whether skipping the old line keeps more in common than skipping the new one. */
function commonLengths(
  old: readonly ComparedLine[],
  now: readonly ComparedLine[],
): (row: number, column: number) => boolean {
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const isCommon = isSameLine(old[row], now[column]);
      lengths[row * width + column] = isCommon
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  return (row, column) => column >= now.length || at(row + 1, column) >= at(row, column + 1);
}

/** Leaves out lines far from any change, and puts a position header before each hunk. */
function hunks(lines: readonly Line[], first: number): readonly string[] {
  const shown = new Set<number>();
  for (const [index, { mark }] of lines.entries()) {
    if (mark === ' ') continue;
    for (let near = index - context; near <= index + context; near += 1) shown.add(near);
  }
  const out: string[] = [];
  let [old, now, isOpen] = [first, first, false];
  for (const [index, { mark, text }] of lines.entries()) {
    const isShown = shown.has(index);
    if (isShown && !isOpen) out.push(`@@ -${old + 1} +${now + 1} @@`);
    if (isShown) out.push(`${mark}${text}`);
    isOpen = isShown;
    if (mark !== '+') old += 1;
    if (mark !== '-') now += 1;
  }
  return out;
}
