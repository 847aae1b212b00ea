import type { Answer } from '../../core/findings/question.ts';
import { memberOf } from '../../core/openshift/member.ts';
import { isSilence, Transient } from '../../core/text/errors.ts';
import { foreignJson } from '../../core/text/foreign-text.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/time.ts';
import { AnswerTooLarge } from './answer.ts';
import type { KubeClient } from './kube-client.ts';

/** Reads for a diagnosis. Never throws Transient: a failed read is an answer too, and lowers the confidence of the
 *  finding. */
export function clusterReader(client: Pick<KubeClient, 'get'>, clock: Clock): ObjectReader {
  return {
    async read({ path, query, form }) {
      try {
        const body = await client.get(path, { query, form, mayBeUnserved: true });
        if (body === undefined) return { kind: 'absent', readAt: clock() };
        // Logs are cut line by line where they are read.
        return { kind: 'found', ...(form === 'text' ? { body } : withinLimits(body)), readAt: clock() };
      } catch (cause) {
        if (!(cause instanceof Transient)) throw cause;
        return {
          kind: 'failed',
          why: cause.message,
          readAt: clock(),
          isForbidden: cause.kind === 'forbidden',
          ...(isSilence(cause) ? { isUnreachable: true } : {}),
          ...(cause.cause instanceof AnswerTooLarge ? { isTooLarge: true } : {}),
        };
      }
    },
  };
}

function withinLimits(whole: unknown): Pick<Extract<Answer, { readonly kind: 'found' }>, 'body' | 'cut'> {
  const body = foreignJson(whole);
  return body === whole ? { body } : { body, cut: fieldsCut(whole, body) };
}

function fieldsCut(whole: unknown, bounded: unknown): readonly string[] {
  if (typeof whole !== 'object' || whole === null) return [];
  return Object.entries(whole).flatMap(([key, value]) => (memberOf(bounded, key) === value ? [] : [key]));
}
