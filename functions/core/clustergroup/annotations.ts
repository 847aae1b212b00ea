import { type Remark, refused, trap } from './remark.ts';
import { isMap, isSet, textOf, type Value, type Values } from './values.ts';
import { isWave, waveAnnotation, waveOf } from './wave.ts';

/** Annotations as they stand in Git. */
export interface Annotated {
  readonly annotations: Readonly<Record<string, string>> | undefined;
  /** What Argo CD makes of the wave. */
  readonly wave: number;
  readonly remarks: readonly Remark[];
}

/** Annotations of an entry. The chart writes an unquoted 0, false or null as empty text; here they are written as they
 *  were meant, and null is left out. */
export function annotationsOf(given: Value | undefined, at: string): Annotated {
  if (!isSet(given)) return { annotations: undefined, wave: 0, remarks: [] };
  const where = `${at}.annotations`;
  if (!isMap(given)) {
    return { annotations: undefined, wave: 0, remarks: [refused('annotation-not-read', where, 'must be a map')] };
  }
  const annotations = Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => {
      const text = textOf(value);
      return text === undefined ? [] : [[key, text]];
    }),
  );
  return {
    annotations: Object.keys(annotations).length === 0 ? undefined : annotations,
    wave: waveOf(annotations[waveAnnotation]),
    remarks: [...unreadable(given, where), ...waveRemarks(given, where)],
  };
}

function unreadable(given: Values, where: string): readonly Remark[] {
  return Object.entries(given).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null
      ? [refused('annotation-not-read', `${where}.${key}`, 'must be text; it is left out')]
      : [],
  );
}

function waveRemarks(given: Values, where: string): readonly Remark[] {
  if (!Object.hasOwn(given, waveAnnotation)) return [];
  const value = given[waveAnnotation];
  const path = `${where}.${waveAnnotation}`;
  if (value === 0) {
    const says =
      'an unquoted 0 is written by the chart as empty text, which Argo CD happens to read as wave 0; quote it';
    return [trap('zero-wave', path, says)];
  }
  return waveTextRemarks(value, path);
}

/** Of a wave wherever it is written. */
export function waveTextRemarks(value: Value | undefined, path: string): readonly Remark[] {
  const text = textOf(value);
  if (isWave(text)) return [];
  return [
    trap(
      'wave-reads-as-0',
      path,
      `${JSON.stringify(value)} is no integer; Argo CD reads it as wave 0 and does not tell`,
    ),
  ];
}
