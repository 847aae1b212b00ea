import * as z from 'zod';
import { headerName, internalNetworks, isCallable } from './called-address.ts';
import { mapping, seconds, secret, type Values } from './fields.ts';

const mustUrl = 'must be an https:// address, without user, password and fragment';

function address() {
  return z.string({ error: mustUrl }).refine(isAddress, { error: mustUrl }).optional();
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isCallable(url);
}

/** Whom a rule of type http tells that a node has its turn. */
export const TurnHttp = mapping({
  url: address().describe(
    'Where a CloudEvent is posted before the node may go. 2xx: it is done; 202: not yet, so that it is posted again, with the same id; 408, 425, 429, 5xx: the same; anything else: it failed.',
  ),
  cleanUpUrl: address().describe('The same after the node is back.'),
  callbackUrl: address().describe(
    'The address of this Poolkeeper, output Url of its stack. With it 2xx says only that the event was received, and what became of it is posted to callbackUrl of the event, with its callbackToken, until the timeout of the rule.',
  ),
  header: headerName().default('Authorization').describe('The header that headerSecret is sent in.'),
  headerSecret: secret('The whole value of that header, like Bearer and a token').optional(),
  signingSecret: secret('Key of the signature of the body, in the header x-poolkeeper-signature-256').optional(),
  timeoutSeconds: seconds(1, 10).default(5).describe('How long to wait for one answer.'),
  internalNetworks: internalNetworks(),
});
export type TurnHttp = Values<typeof TurnHttp>;
