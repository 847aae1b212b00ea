import type { KubeClient } from '../../functions/adapters/kubernetes/kube-client.ts';
import { Transient } from '../../functions/core/text/errors.ts';
import type { Clock } from '../../functions/ports/time.ts';
import { forSharing } from './for-sharing.ts';
import type { Reading } from './snapshot.ts';

/** Bytes of JSON in one snapshot. A diagnosis reads at most 10 MB per stuck node, and usually a hundredth of that. */
const roomBytes = 32 * 1024 * 1024;

export interface Recording {
  /** Reads the real API server and records. What does not fit is still answered. */
  readonly client: KubeClient;
  /** Everything read so far, without secrets, in the order of the answers. */
  readings(): readonly Reading[];
}

/** Records every read made through a client, in a form that may be shared. */
export function recording(client: KubeClient, clock: Clock): Recording {
  const kept: Reading[] = [];
  let room = roomBytes;

  function keep(asked: Pick<Reading, 'path' | 'query' | 'form'>, answer: Reading['answer']): void {
    const reading: Reading = { ...asked, readAt: clock().toISOString(), answer: shared(asked, answer) };
    const size = JSON.stringify(reading).length;
    room -= size;
    const tooMuch = { ...reading, answer: { kind: 'failed' as const, why: 'left out: the snapshot is full' } };
    kept.push(room < 0 ? tooMuch : reading);
  }

  async function remembering<T>(
    asked: Pick<Reading, 'path' | 'query' | 'form'>,
    ask: () => Promise<T>,
    answerOf: (answer: T) => Reading['answer'],
  ): Promise<T> {
    try {
      const answer = await ask();
      keep(asked, answerOf(answer));
      return answer;
    } catch (cause) {
      if (cause instanceof Transient)
        keep(asked, {
          kind: 'failed',
          why: cause.message,
          ...(cause.kind === 'forbidden' ? { isForbidden: true } : {}),
        });
      throw cause;
    }
  }

  return {
    client: {
      ...client,
      async get(path, { form = 'object', ...options } = {}) {
        const asked = { path, query: { ...options.query }, form };
        const ask = () => client.get(path, { ...options, form });
        if (form !== 'text')
          return remembering(asked, ask, (body) => (body === undefined ? { kind: 'absent' } : { kind: 'found', body }));
        // A log may contain anything.
        keep(asked, { kind: 'failed', why: 'logs are not recorded' });
        return ask();
      },
      list: (path, options) =>
        remembering(
          { path, query: { ...options.query }, form: options.form ?? 'object' },
          () => client.list(path, options),
          (items) => ({ kind: 'found', body: { items } }),
        ),
    },
    readings: () => kept,
  };
}

function shared({ path, form }: Pick<Reading, 'path' | 'form'>, answer: Reading['answer']): Reading['answer'] {
  if (answer.kind !== 'found') return answer;
  return { kind: 'found', body: form === 'table' ? answer.body : forSharing(path, answer.body) };
}
