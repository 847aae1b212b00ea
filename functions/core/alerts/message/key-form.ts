import type { Message, MessageContext } from './message.ts';

/** Common parts of the forms for machines that identify an incident by its key. Texts are cleaned and bounded as in
 *  every message. */
export interface KeyFormContext extends MessageContext {
  readonly deliveryId: string;
}

export function firstRemedy({ remedies }: Message): Readonly<Record<string, string>> {
  const [remedy] = remedies;
  return remedy === undefined ? {} : { remedy: `${remedy.title} (${remedy.risk})` };
}

export function causeOf({ cause }: Message): Readonly<Record<string, string>> {
  return cause === undefined ? {} : { cause: `${cause.code}: ${cause.title}` };
}

/** Undefined if no status page is configured. */
export function linkOf({ link }: Message): string | undefined {
  return link === undefined || !/^https?:\/\//.test(link) ? undefined : encodeURI(link);
}
