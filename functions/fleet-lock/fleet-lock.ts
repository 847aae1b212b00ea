import * as z from 'zod';
import type { FleetLock } from '../core/configuration/fleet-lock.ts';
import type { Machine } from '../core/fleet-lock/locks.ts';
import { safeLine } from '../core/text/safe-text.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { FleetLocks, Timeline } from '../ports/tables.ts';
import type { Clock } from '../ports/time.ts';
import type { WebHandler } from '../shell/answer.ts';
import { parseJson, readText } from '../shell/body.ts';
import type { WebRequest } from '../shell/exchange.ts';
import { type LiveSecret, liveSecret } from '../shell/live-secret.ts';
import { isToken } from '../shell/token.ts';
import { lock, release, unlock } from './change-locks.ts';
import { BadLockRequest, inProtocol, type LockEntrance, type LockReply } from './protocol.ts';

export interface FleetLockPorts extends LockEntrance {
  readonly fleetLock: FleetLock;
  readonly locks: FleetLocks;
  readonly timeline: Pick<Timeline, 'append'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

const bodyAtMostBytes = 4 * 1024;

/** Behind the token: what a machine asks before it reboots and when it is up again, and what a person asks. */
const routePath = /^\/fleet-lock\/([^/]{1,512})\/v1\/(pre-reboot|steady-state|release)$/;

/** Bytes as JSON of who is given a slot. All slots of all groups are one row of at most 390 KiB: whoever has the token
 *  of a large group must not fill it with ids of control characters, six bytes each, so that no other machine finds
 *  room. A longer one, which an earlier version has given a slot, ends it as any other. */
const idAtMostBytes = 200;
const fitsRow = (id: string) => Buffer.byteLength(JSON.stringify(id)) - 2 <= idAtMostBytes;

/** `client_params` of the protocol. Anything else in the body is for later versions of it. */
const MachineBody = z.object({
  client_params: z.object({
    id: z.string().min(1).max(idAtMostBytes),
    group: z.string().regex(/^[a-zA-Z0-9.-]{1,100}$/),
  }),
});

/** The release of a slot by a person: why, and who. */
const ReleaseBody = MachineBody.extend({ reason: z.string().min(3).max(300), by: z.string().min(1).max(100) });

/** `POST /fleet-lock/TOKEN/v1/...`: the FleetLock protocol. The token is that of the group, because the protocol has
 *  none of its own. It is answered at once, whatever the answer: clients ask again every five minutes. */
export function fleetLock(ports: FleetLockPorts): WebHandler {
  const tokens = tokensOf(ports);
  return inProtocol(ports, async (request) => {
    const { token, action } = routeOf(request);
    if (action !== 'release' && request.headers.get('fleet-lock-protocol') !== 'true')
      throw new BadLockRequest('missing_header', 'the header fleet-lock-protocol: true is missing');
    const body = parseJson(await readText(request, bodyAtMostBytes));
    const machine = machineIn(body);
    await requireGroupToken(token, tokens.get(machine.group));
    return answerTo(action, { machine, body }, ports);
  });
}

interface Asked {
  readonly machine: Machine;
  readonly body: unknown;
}

async function answerTo(action: string, { machine, body }: Asked, ports: FleetLockPorts): Promise<LockReply> {
  const about = { group: machine.group, machine: safeLine(machine.id, 100) };
  switch (action) {
    case 'pre-reboot': {
      if (!fitsRow(machine.id)) throw unknownIdentity();
      const answer = await lock(machine, ports);
      if (answer.kind === 'granted') return { status: 200, about: { ...about, reason: 'granted' } };
      const { refusal: kind, why: value } = answer;
      return { status: 423, kind, value, about: { ...about, reason: kind } };
    }
    case 'steady-state':
      await unlock(machine, ports);
      return { status: 200, about: { ...about, reason: 'unlocked' } };
    default: {
      const { reason, by } = releaseIn(body);
      const released = await release(machine, { reason, by }, ports);
      if (!released) throw new BadLockRequest('not_held', 'this machine has no slot of this group', 404);
      return { status: 200, about: { ...about, reason: 'released by a person' } };
    }
  }
}

function routeOf({ method, url }: WebRequest): { readonly token: string; readonly action: string } {
  const { pathname } = new URL(url);
  const [, token, action] = routePath.exec(pathname) ?? [];
  if (token === undefined || action === undefined) throw unknownPath(pathname);
  if (method !== 'POST') throw new BadLockRequest('method_not_allowed', 'use POST', 405);
  return { token: decoded(token), action };
}

/** A client joins its paths to the base_url as a browser does: without a slash at its end the token is lost. */
function unknownPath(pathname: string): BadLockRequest {
  const isShort = /^\/fleet-lock\/v1\/|^\/v1\//.test(pathname);
  const value = isShort
    ? 'there is no token in the path: base_url must be .../fleet-lock/TOKEN/ with a slash at its end'
    : 'not found: base_url is .../fleet-lock/TOKEN/';
  return new BadLockRequest('not_found', value, 404);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function machineIn(body: unknown): Machine {
  const read = MachineBody.safeParse(body);
  if (read.success) return read.data.client_params;
  throw unknownIdentity();
}

function unknownIdentity(): BadLockRequest {
  return new BadLockRequest(
    'invalid_client_identity',
    'client_params must have an id of 1 to 200 bytes and a group of letters, digits, dots and dashes',
  );
}

function releaseIn(body: unknown): { readonly reason: string; readonly by: string } {
  const read = ReleaseBody.safeParse(body);
  if (read.success) return read.data;
  throw new BadLockRequest('missing_reason', 'a release needs reason and by');
}

function tokensOf({ fleetLock: { groups }, secrets, clock }: FleetLockPorts): ReadonlyMap<string, LiveSecret> {
  return new Map(
    Object.entries(groups).map(([group, { tokenSecret }]) => [
      group,
      liveSecret({ secrets, secret: tokenSecret, clock }),
    ]),
  );
}

/** A group that is not configured is answered as a wrong token is, so that nobody learns which groups there are. */
async function requireGroupToken(offered: string, live: LiveSecret | undefined): Promise<void> {
  if (live !== undefined && (await live.isKnown((token) => isToken(offered, token)))) return;
  throw new BadLockRequest('unauthorized', 'the token in base_url is not that of this group', 401);
}
