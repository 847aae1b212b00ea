import { clean } from '../../../functions/core/text/safe-text.ts';
import { tableText } from '../status/table.ts';

/** The result of one check. */
export interface Finding {
  /** `unchecked`: it could not be checked, which proves nothing. */
  readonly state: 'ok' | 'warning' | 'wrong' | 'unchecked';
  /** A cluster, an Argo CD or the service. */
  readonly about: string;
  /** One sentence. */
  readonly what: string;
  /** What to do; undefined: nothing. */
  readonly remedy?: string | undefined;
}

export function ok(about: string, what: string): Finding {
  return { state: 'ok', about, what };
}

export function warning(about: string, what: string, remedy: string): Finding {
  return { state: 'warning', about, what, remedy };
}

export function wrong(about: string, what: string, remedy: string): Finding {
  return { state: 'wrong', about, what, remedy };
}

export function unchecked(about: string, what: string, remedy?: string): Finding {
  return { state: 'unchecked', about, what, remedy };
}

/** In the order of the checks: sorting by severity would separate what belongs together. */
export function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length), 0);
  const lines = findings.map(({ state, about, what, remedy }) => {
    const said = `${state.padEnd(10)}${about.padEnd(width)}  ${oneLine(what)}\n`;
    return remedy === undefined ? said : `${said}${' '.repeat(10)}${' '.repeat(width)}  -> ${oneLine(remedy)}\n`;
  });
  const count = (state: Finding['state']) => findings.filter((each) => each.state === state).length;
  const [faults, warnings, open] = [count('wrong'), count('warning'), count('unchecked')];
  const sum = [`${faults} wrong`, `${warnings} to watch`, ...(open > 0 ? [`${open} not checked`] : [])].join(', ');
  return `${lines.join('')}\n${findings.length} checked: ${sum}.\n`;
}

/** One line each. */
export function findingsTable(findings: readonly Finding[]): string {
  const rows = findings.map(({ state, about, what, remedy = '' }) => ({ state, about, remedy, what }));
  return tableText(['state', 'about', 'remedy', 'what'], rows);
}

/** Names and texts of the cluster make no line of their own, which would look like a finding. */
function oneLine(text: string): string {
  return clean(text).replace(/\s*\n\s*/g, ' ');
}
