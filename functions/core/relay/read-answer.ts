/** What an answer of Argo CD's webhook server means. */
export type ReadAnswer =
  | { readonly kind: 'accepted' }
  /** It may take it another time. */
  | { readonly kind: 'again'; readonly why: string }
  /** It will answer the same next time. */
  | { readonly kind: 'refused'; readonly why: string };

/** By its status alone: what a refusal says may repeat what was sent. Source: argo-cd util/webhook/webhook.go,
 *  `Handler`. */
export function readAnswer(status: number): ReadAnswer {
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status >= 500 || comeAgain.includes(status)) return { kind: 'again', why: `it answered ${status}` };
  return { kind: 'refused', why: `${status}: ${hints[status] ?? whatElse(status)}` };
}

/** Request Timeout, Too Early, Too Many Requests. */
const comeAgain: readonly number[] = [408, 425, 429];

const hints: Readonly<Record<number, string>> = {
  400: 'its webhook.github.secret is not the secret that GitHub signs with, or this address does not know the event',
  401: 'something before Argo CD asks who we are; let /api/webhook through',
  403: 'something before Argo CD does not let us in; let /api/webhook through',
  404: 'there is no webhook at this address; it ends in /api/webhook',
  405: 'this address takes no webhooks; it ends in /api/webhook',
  413: 'it is larger than what Argo CD, or something before it, takes (webhook.maxPayloadSizeMB)',
};

function whatElse(status: number): string {
  if (status >= 300 && status < 400)
    return 'it sends us elsewhere, which is not followed; name the address it leads to';
  return 'it does not take this';
}
