import { fromRoot } from './go-path.ts';

/** What a Butane file takes from other files. */
export interface ButaneIncludes {
  /** Name of the MachineConfig that it becomes; undefined: not known. */
  readonly makes: string | undefined;
  /** Paths of files and folders below the folder that `butane --files-dir` names, which is known to whoever calls it. A
   *  template may stand in them; empty: any. */
  readonly locals: readonly string[];
}

/** Whether a file of the repository may be what a Butane file includes, or be in a folder that it includes. */
export function mayInclude({ locals }: ButaneIncludes, path: string): boolean {
  const segments = path.split('/');
  return locals.some((local) => mayMean(local, segments));
}

function mayMean(local: string, segments: readonly string[]): boolean {
  const wanted = fromRoot(local).split('/');
  const last = wanted.at(-1) ?? '';
  if (last === '') return true;
  // A template may stand for more than one segment.
  if (templateStart.test(local)) return segments.some((each) => fits(each, last));
  return segments.some((_, at) => wanted.every((each, index) => segments[at + index] === each));
}

const templateStart = /\{\{|\{%|\$\{|<%|\$[A-Za-z_]/;

/** By what stands before and after its templates. */
function fits(segment: string, pattern: string): boolean {
  const [from, to] = [pattern.search(templateStart), Math.max(pattern.lastIndexOf('}'), pattern.lastIndexOf('>'))];
  if (from < 0 && to < 0) return segment === pattern;
  const [before, after] = [pattern.slice(0, Math.max(from, 0)), to < 0 ? '' : pattern.slice(to + 1)];
  return segment.startsWith(before) && segment.endsWith(after);
}
