import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
import { openTelemetry, type Telemetry } from '../../../functions/shell/telemetry.ts';

/** What was written to the two streams that Lambda turns into log lines. */
let written: Record<string, unknown>[] = [];

beforeEach(() => {
  written = [];
  const keep = (chunk: string | Uint8Array) => {
    written.push(
      ...String(chunk)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    );
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  // The figures of EMF go through the global console.
  vi.spyOn(console, 'log').mockImplementation((line: string) => keep(line));
});

afterEach(() => {
  vi.restoreAllMocks();
});

function open(): Telemetry {
  return openTelemetry('keep-pools', { POOLKEEPER_STAGE: 'dev' });
}

describe('a log line', () => {
  it('is JSON with a static message and facts as fields', () => {
    open().logger.info('pool paused', { cluster: 'prod', pool: 'worker' });

    expect(written).toEqual([
      expect.objectContaining({
        level: 'INFO',
        message: 'pool paused',
        service: 'keep-pools',
        cluster: 'prod',
        pool: 'worker',
      }),
    ]);
  });

  it('carries the fields of what is being done and loses them afterwards, also when that failed', async () => {
    const { logger, within } = open();

    await within({ invocation: 'i-1' }, async () => {
      await within({ event: 'e-1' }, async () => {
        logger.info('inside');
        throw new Error('broken');
      }).catch(() => {});
      logger.info('between');
    });
    logger.info('after');

    expect(written.map(({ message, invocation, event }) => [message, invocation, event])).toEqual([
      ['inside', 'i-1', 'e-1'],
      ['between', 'i-1', undefined],
      ['after', undefined, undefined],
    ]);
  });

  it('of our own error has its message, kind and cause', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

    open().logger.warn('message failed', {
      error: new Transient('prod does not answer', { kind: 'unreachable', cause }),
    });

    expect(written[0]?.['error']).toEqual({
      name: 'Transient',
      message: 'prod does not answer',
      kind: 'unreachable',
      cause: { name: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
    });
  });

  it('has nothing that a foreign error carries along: no request, body or header', () => {
    const foreign = Object.assign(new Error(`HTTP-Code: 403 ${'x'.repeat(2000)} secret-at-the-end`), {
      body: 'secret-body',
      headers: { authorization: 'Bearer secret-token' },
      $response: { body: 'secret-response' },
    });

    open().logger.error('message failed', { error: new Transient('refused', { cause: foreign }), also: foreign });

    expect(JSON.stringify(written)).not.toContain('secret');
    expect(JSON.stringify(written)).toContain('HTTP-Code: 403');
  });

  it('of a JSON error does not quote what could not be read', () => {
    let error: unknown;
    try {
      JSON.parse('{"token": "hunter2');
    } catch (caught) {
      error = caught;
    }

    open().logger.error('message failed', { error });

    expect(written[0]).toMatchObject({ error: { name: 'SyntaxError', stack: expect.stringMatching(/^\s+at /) } });
    expect(JSON.stringify(written)).not.toContain('hunter2');
  });
});

describe('the figures', () => {
  it('are written once per flush, with environment and function as the only dimensions', () => {
    const { metrics, flush } = open();

    metrics.count('RecordsHandled');
    metrics.count('RecordsHandled', 2);
    metrics.milliseconds('PushToPause', 420);
    flush();
    flush();

    expect(written).toEqual([
      expect.objectContaining({
        environment: 'dev',
        function: 'keep-pools',
        RecordsHandled: [1, 2],
        PushToPause: 420,
        _aws: expect.objectContaining({
          CloudWatchMetrics: [
            {
              Namespace: 'Poolkeeper',
              Dimensions: [['environment', 'function']],
              Metrics: [
                { Name: 'RecordsHandled', Unit: 'Count' },
                { Name: 'PushToPause', Unit: 'Milliseconds' },
              ],
            },
          ],
        }),
      }),
    ]);
  });
});
