/** One node of a regular expression, as far as it matters for the work of a backtracking matcher. */
export type RegexNode =
  /** One character; `source` is a regular expression for exactly one. */
  | { readonly kind: 'one'; readonly source: string; readonly literal: string | undefined }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'either'; readonly options: readonly RegexNode[] }
  | {
      readonly kind: 'repeat';
      readonly of: RegexNode;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
    }
  | { readonly kind: 'look'; readonly of: RegexNode; readonly behind: boolean; readonly negative: boolean }
  /** `^`, `$`, `\b`, `\B`. */
  | { readonly kind: 'place'; readonly source: string };

/** Parses the syntax that this project uses; throws on what it does not know (backreferences, sets of the v flag). */
export function parseRegex(source: string): RegexNode {
  let at = 0;

  const isNext = (text: string) => source.startsWith(text, at);
  const take = (text: string): boolean => {
    if (!isNext(text)) return false;
    at += text.length;
    return true;
  };

  function either(): RegexNode {
    const options = [sequence()];
    while (take('|')) options.push(sequence());
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'either', options };
  }

  function sequence(): RegexNode {
    const parts: RegexNode[] = [];
    while (at < source.length && !isNext('|') && !isNext(')')) parts.push(repeated(atom()));
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'sequence', parts };
  }

  function repeated(of: RegexNode): RegexNode {
    const counted = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(source.slice(at));
    if (counted === null) return of;
    at += counted[0].length;
    const lazy = take('?');
    const [min, max] = bounds(counted);
    return { kind: 'repeat', of, min, max, lazy };
  }

  function bounds([whole, least = '', comma, most = '']: RegExpExecArray): readonly [number, number] {
    if (whole === '*') return [0, Number.POSITIVE_INFINITY];
    if (whole === '+') return [1, Number.POSITIVE_INFINITY];
    if (whole === '?') return [0, 1];
    if (comma === '') return [Number(least), Number(least)];
    return [Number(least), most === '' ? Number.POSITIVE_INFINITY : Number(most)];
  }

  function atom(): RegexNode {
    if (take('(')) return group();
    if (take('^')) return { kind: 'place', source: '^' };
    if (take('$')) return { kind: 'place', source: '$' };
    if (isNext('[')) return one(/^\[(?:\\[\s\S]|[^\]\\])*\]/);
    if (isNext('\\')) return escaped();
    const [character = ''] = source.slice(at);
    at += character.length;
    return {
      kind: 'one',
      source: character === '.' ? '.' : character,
      literal: character === '.' ? undefined : character,
    };
  }

  function group(): RegexNode {
    const look = /^\?(<?)([=!])/.exec(source.slice(at));
    const name = look === null ? /^\?(?::|<[A-Za-z]\w*>)/.exec(source.slice(at)) : null;
    at += (look ?? name)?.[0].length ?? 0;
    const of = either();
    if (!take(')')) throw new Error(`a group without end in ${source}`);
    return look === null ? of : { kind: 'look', of, behind: look[1] === '<', negative: look[2] === '!' };
  }

  function escaped(): RegexNode {
    if (take('\\b')) return { kind: 'place', source: '\\b' };
    if (take('\\B')) return { kind: 'place', source: '\\B' };
    if (/^\\(?:[1-9]|k<)/.test(source.slice(at))) throw new Error(`a backreference in ${source}`);
    return one(/^\\(?:u\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|p\{[^}]*\}|P\{[^}]*\}|[\s\S])/);
  }

  function one(shape: RegExp): RegexNode {
    const text = shape.exec(source.slice(at))?.[0];
    if (text === undefined) throw new Error(`not understood at ${at}: ${source}`);
    at += text.length;
    const isPlain = /^\\[^A-Za-z0-9]$/.test(text);
    return { kind: 'one', source: text, literal: isPlain ? text.slice(1) : undefined };
  }

  const whole = either();
  if (at !== source.length) throw new Error(`not understood at ${at}: ${source}`);
  return whole;
}
