import { describe, expect, it } from 'vitest';
import { PlainRequest } from '../../../functions/shell/exchange.ts';
import { answerOf } from '../receiving.ts';
import { fleetLockLab, token, zincatiBody, zincatiHeaders } from './fleet-lock-lab.ts';

const a = 'b1d4d2d9f5a84e5a9c1e3b0a7f6c5d4e';
const b = '0c9f8e7d6b5a4938a7b6c5d4e3f2a1b0';

describe('[N-25] a machine that asks by FleetLock before it reboots', () => {
  it('is granted a free slot with 200, and so is every later question of the same machine', async () => {
    const lab = fleetLockLab();

    const answers = [];
    for (let minutes = 0; minutes < 10; minutes += 1) {
      answers.push((await lab.lock(a)).status);
      lab.clock.advance(60);
    }

    expect(new Set(answers)).toEqual(new Set([200]));
    expect(await lab.held()).toEqual([a]);
    expect(lab.timeline()).toEqual([`Machine ${a} may reboot`]);
  });

  it('is refused with 423 while another has the only slot, with a kind and a value that says who', async () => {
    const lab = fleetLockLab();
    await lab.lock(a);

    const refused = await lab.lock(b);

    expect(refused).toEqual({
      status: 423,
      kind: 'lock_held',
      value: `all of 1 slot of group default taken: ${a} since 2026-03-02T10:00:00.000Z`,
    });
    expect(await lab.held()).toEqual([a]);
  });

  it('gets the slot when the other has unlocked, which it does first thing after boot', async () => {
    const lab = fleetLockLab();
    await lab.lock(a);

    const unlocked = await lab.unlock(a);
    const granted = await lab.lock(b);

    expect([unlocked.status, granted.status]).toEqual([200, 200]);
    expect(await lab.held()).toEqual([b]);
  });

  it('may unlock without a slot, while another has one: that succeeds and takes nothing', async () => {
    const lab = fleetLockLab();
    await lab.lock(a);

    const stranger = await lab.unlock(b);

    expect(stranger.status).toBe(200);
    expect(await lab.held()).toEqual([a]);
  });

  it('is another machine when only the case of its id differs', async () => {
    const lab = fleetLockLab();
    await lab.lock('Node-A');

    const other = await lab.lock('node-a');
    await lab.unlock('node-a');

    expect(other.status).toBe(423);
    expect(await lab.held()).toEqual(['Node-A']);
  });

  it('takes a slot of its own group, and of all groups together no more than are allowed', async () => {
    const groups = { default: { tokenSecret: 't', slots: 2 }, db: { tokenSecret: 't' } };
    const lab = fleetLockLab({ configuration: { atMost: 2, groups } });

    const own = [await lab.lock('a'), await lab.lock('b', 'db'), await lab.lock('c', 'db')];
    const full = await lab.lock('d');

    expect(own.map(({ status }) => status)).toEqual([200, 200, 423]);
    expect(full).toMatchObject({ status: 423, kind: 'fleet_full', value: 'all of 2 slots of all groups taken' });
  });

  it('[N-30] finds a place beside a group that takes and leaves all it can get, whatever that renews', async () => {
    const groups = { default: { tokenSecret: 't', slots: 3 }, db: { tokenSecret: 't' } };
    const lab = fleetLockLab({ configuration: { atMost: 3, groups } });
    const greedy = ['a', 'b', 'c'];

    const answers = [];
    for (const id of greedy) answers.push(await lab.lock(id));
    for (const id of greedy) await lab.unlock(id);
    for (const id of greedy) await lab.lock(id);
    const own = await lab.lock('database-1', 'db');

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 423]);
    expect(answers[2]).toMatchObject({
      kind: 'fleet_full',
      value: 'the last of 3 slots of all groups is for a group that has none',
    });
    expect(own.status).toBe(200);
  });

  it('[N-30] takes the last place of all groups for a second one where each other has its own, or may not ask now', async () => {
    const closed = [{ kind: 'allow', schedule: '0 22 * * *', durationSeconds: 3600 }];
    const groups = { default: { tokenSecret: 't', slots: 3 }, db: { tokenSecret: 't' } };
    const each = fleetLockLab({ configuration: { atMost: 3, groups } });
    const alone = fleetLockLab({ configuration: { atMost: 2, groups: { default: groups.default } } });
    const byDay = fleetLockLab({
      configuration: { atMost: 2, groups: { ...groups, db: { ...groups.db, windows: closed } } },
    });

    await each.lock('database-1', 'db');
    const statuses = [];
    for (const lab of [each, alone, byDay]) for (const id of ['a', 'b']) statuses.push((await lab.lock(id)).status);

    expect(statuses).toEqual(Array.from({ length: 6 }, () => 200));
  });

  it('is refused outside the windows, with the time at which the next opens; who has a slot keeps it', async () => {
    const windows = [{ kind: 'allow', schedule: '0 9 * * *', durationSeconds: 7200 }];
    const lab = fleetLockLab({ configuration: { windows, groups: { default: { tokenSecret: 't', slots: 2 } } } });
    const inside = await lab.lock(a);
    lab.clock.advance(3600);

    const [again, outside] = [await lab.lock(a), await lab.lock(b)];

    expect([inside.status, again.status]).toEqual([200, 200]);
    expect(outside).toEqual({
      status: 423,
      kind: 'window_closed',
      value: 'no window for reboots is open; the next opens at 2026-03-03T09:00:00.000Z',
    });
  });

  it('[N-30] keeps its slot while its group is missing in a file that was deployed by mistake', async () => {
    const groups = { default: { tokenSecret: 't' }, web: { tokenSecret: 't' } };
    const before = fleetLockLab({ configuration: { groups } });
    await before.lock('machine-1');
    const locks = () => before.locks;
    const mistaken = fleetLockLab({ configuration: { groups: { web: groups.web } }, locks });
    const mended = fleetLockLab({ configuration: { groups }, locks });

    const other = await mistaken.lock('machine-2', 'web');

    expect(other.status).toBe(200);
    expect(await mended.lock('machine-3')).toMatchObject({ status: 423, kind: 'lock_held' });

    mistaken.clock.advance(31 * 24 * 3600);
    await mistaken.unlock('machine-2', 'web');
    await mistaken.lock('machine-2', 'web');

    expect((await before.locks.load()).held.map(({ id }) => id)).toEqual(['machine-2']);
  });

  it('keeps its slot for as long as nobody unlocks it', async () => {
    const lab = fleetLockLab();
    await lab.lock(a);
    lab.clock.advance(365 * 24 * 3600);

    expect((await lab.lock(b)).status).toBe(423);
    expect(await lab.held()).toEqual([a]);
  });

  it.each([
    ['without a content type', zincatiHeaders],
    [
      'with that of a form, as curl sends it',
      { ...zincatiHeaders, 'content-type': 'application/x-www-form-urlencoded' },
    ],
    ['with a header in other case', { 'Fleet-Lock-Protocol': 'true' }],
  ])('is understood %s', async (_, headers) => {
    const lab = fleetLockLab();

    expect((await lab.send(`/fleet-lock/${token}/v1/pre-reboot`, zincatiBody(a), headers)).status).toBe(200);
  });
});

describe('[N-25] a request that is no question of a machine', () => {
  it.each([
    ['no header', { headers: {} }, 400, 'missing_header'],
    ['another value of the header', { headers: { 'fleet-lock-protocol': 'yes' } }, 400, 'missing_header'],
    ['no JSON', { body: 'client_params' }, 400, 'decode_error'],
    ['no body', { body: '' }, 400, 'decode_error'],
    ['an empty id', { body: zincatiBody('') }, 400, 'invalid_client_identity'],
    ['an id that is long as JSON', { body: zincatiBody('\u0001'.repeat(34)) }, 400, 'invalid_client_identity'],
    ['an id of 201 bytes', { body: zincatiBody(`${'ä'.repeat(100)}a`) }, 400, 'invalid_client_identity'],
    ['a group of other characters', { body: zincatiBody(a, 'a/b') }, 400, 'invalid_client_identity'],
    ['no client_params', { body: '{}' }, 400, 'invalid_client_identity'],
    ['a body that is too large', { body: zincatiBody('x'.repeat(5_000)) }, 413, 'body_too_large'],
    ['another token', { path: '/fleet-lock/wrong/v1/pre-reboot' }, 401, 'unauthorized'],
    ['a group that nobody has configured', { body: zincatiBody(a, 'others') }, 401, 'unauthorized'],
    ['the name of a property that every object has', { body: zincatiBody(a, 'constructor') }, 401, 'unauthorized'],
    ['a base_url without a slash at its end', { path: '/fleet-lock/v1/pre-reboot' }, 404, 'not_found'],
    ['another path', { path: `/fleet-lock/${token}/v2/pre-reboot` }, 404, 'not_found'],
  ])(
    'is refused: %s',
    async (_, {
      path = `/fleet-lock/${token}/v1/pre-reboot`,
      body = zincatiBody(a),
      headers = zincatiHeaders,
    }: { path?: string; body?: string; headers?: Record<string, string> }, status, kind) => {
      const lab = fleetLockLab();

      const refused = await lab.send(path, body, headers);

      expect(refused).toEqual({ status, kind, value: expect.stringMatching(/./) });
      expect(await lab.held()).toEqual([]);
      expect(JSON.stringify(lab.logger.lines)).not.toContain(token);
    },
  );

  it('is 405 with any method but POST, as after a redirect', async () => {
    const { handle } = fleetLockLab();
    const url = `https://poolkeeper.example.com/fleet-lock/${token}/v1/pre-reboot`;

    const answer = await handle(new PlainRequest({ method: 'GET', url, fields: zincatiHeaders }, undefined));

    expect(await answerOf(answer)).toMatchObject({ status: 405, body: { kind: 'method_not_allowed' } });
    expect(answer.headers.get('allow')).toBe('POST');
  });

  it('takes the token that is being rotated out', async () => {
    const lab = fleetLockLab();

    expect((await lab.send('/fleet-lock/old-token/v1/pre-reboot', zincatiBody(a))).status).toBe(200);
  });

  it('is not answered yes while the table cannot be read or written', async () => {
    const lab = fleetLockLab();
    for (const op of ['locks.load', 'locks.save'] as const) {
      const heal = lab.faults.failAll([op]);

      expect(await lab.lock(a)).toMatchObject({ status: 503, kind: 'temporarily_unavailable' });
      heal();
    }
    expect((await lab.lock(a)).status).toBe(200);
  });
});

describe('[N-25] a person releases the slot of a machine that does not come back', () => {
  it('with a reason, which stands on the timeline', async () => {
    const lab = fleetLockLab();
    await lab.lock(a);

    const released = await lab.release(a);

    expect(released.status).toBe(200);
    expect(await lab.held()).toEqual([]);
    expect(lab.timeline()).toContain(
      `Machine ${a} has no slot any more: alice released that of 2026-03-02T10:00:00.000Z: its disk is broken`,
    );
  });

  it('not without a reason, and not one that is not there', async () => {
    const lab = fleetLockLab();
    await lab.lock(a);

    expect(await lab.release(a, {})).toMatchObject({ status: 400, kind: 'missing_reason' });
    expect(await lab.release(b)).toMatchObject({ status: 404, kind: 'not_held' });
    expect(await lab.held()).toEqual([a]);
  });

  it.each(['unlock', 'release'] as const)(
    'also one whose id, long as JSON, an earlier version has given it: %s',
    async (how) => {
      const id = 'ä'.repeat(150);
      const earlier = { version: 1, held: [{ group: 'default', id, since: '2026-03-01T10:00:00.000Z' }] };
      const saved: (readonly string[])[] = [];
      const lab = fleetLockLab({
        locks: () => ({
          load: async () => earlier,
          save: async ({ held }) => {
            saved.push(held.map((lock) => lock.id));
            return true;
          },
        }),
      });

      expect(await lab.lock(id)).toMatchObject({ status: 400, kind: 'invalid_client_identity' });
      expect(await lab[how](id)).toMatchObject({ status: 200 });
      expect(saved).toEqual([[]]);
    },
  );
});
