import { oneOf } from './command.ts';

/** How a command can print its answer. `wide`: what it lists, one line each with every column; an answer that is no
 *  list prints it as text, which leaves nothing out. */
export const outputForms = ['text', 'wide', 'json', 'yaml'] as const;

export type OutputForm = (typeof outputForms)[number];

/** The flag of every command that answers something. Its line in the help: `outputHelp`. */
export const outputFlag = { output: { type: 'string', short: 'o', default: 'text' } } as const;

export const outputHelp = '  -o, --output F    text (default), wide, json or yaml';

/** Throws Misconfigured for another form than those of every command and `more`. */
export function outputOf<T extends string = never>(typed: string, more: readonly T[] = []): OutputForm | T {
  return oneOf(typed, [...outputForms, ...more], '--output');
}

/** An answer, in each of its forms. */
interface Answer {
  /** What JSON and YAML say. */
  readonly data: unknown;
  readonly text: () => string;
  /** Undefined: the text has everything. */
  readonly wide?: () => string;
}

export async function inForm(form: OutputForm, { data, text, wide = text }: Answer): Promise<string> {
  switch (form) {
    case 'json':
      return `${JSON.stringify(data, undefined, 2)}\n`;
    case 'yaml':
      return (await import('./yaml-text.ts')).yamlText(data);
    case 'wide':
      return wide();
    case 'text':
      return text();
    default:
      return form satisfies never;
  }
}
