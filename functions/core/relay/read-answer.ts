/** What an answer of Argo CD's webhook server means for the delivery that was passed on to it. */
export type AnswerMeaning =
  | { readonly kind: 'accepted' }
  /** It may accept the same delivery later. */
  | { readonly kind: 'again'; readonly why: string }
  /** It would answer the same again. */
  | { readonly kind: 'refused'; readonly why: string };

/** Judges an answer by its HTTP status alone: the text of a refusal may repeat what was sent. Source: argo-cd
 *  util/webhook/webhook.go, `Handler`. */
export function readAnswer(status: number): AnswerMeaning {
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status >= 500 || retryable.includes(status)) return { kind: 'again', why: `it answered ${status}` };
  return { kind: 'refused', why: `${status}: ${hints[status] ?? whatElse(status)}` };
}

/** Request Timeout, Too Early, Too Many Requests. */
const retryable: readonly number[] = [408, 425, 429];

/** What is probably wrong, by status. */
const hints: Readonly<Record<number, string>> = {
  400: 'its webhook.github.secret is not the secret that GitHub signs with, the webhook sends forms and no JSON, or this address does not handle the event',
  401: 'a proxy before Argo CD requires authentication; let /api/webhook through',
  403: 'a proxy before Argo CD denies access; let /api/webhook through',
  404: 'there is no webhook at this address; it ends in /api/webhook',
  405: 'this address accepts no webhooks; it ends in /api/webhook',
  413: 'it is larger than Argo CD, or a proxy before it, accepts (webhook.maxPayloadSizeMB)',
};

function whatElse(status: number): string {
  if (status >= 300 && status < 400) return 'it redirects, which is not followed; configure the final address';
  return 'it does not accept this';
}
