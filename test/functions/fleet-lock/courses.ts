import { FleetLock } from '../../../functions/core/configuration/fleet-lock.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { fleetLock } from '../../../functions/fleet-lock/fleet-lock.ts';
import type { FleetLocks } from '../../../functions/ports/tables.ts';
import { fakeClock, fakeIds, fakeLogger, fakeMetrics, fakeTables } from '../../fakes/index.ts';
import { answerOf, fakeSecrets, post } from '../receiving.ts';
import { zincatiBody, zincatiHeaders } from './fleet-lock-lab.ts';

export const groupNames = ['default', 'database'] as const;
type GroupName = (typeof groupNames)[number];

/** Ids that look alike, or are the same in some other form. */
export const ids = ['a', 'A', 'a ', 'a\u200b', '\u00e9', 'e\u0301', '__proto__'] as const;

export interface Asked {
  readonly what: 'pre-reboot' | 'steady-state' | 'release';
  readonly group: GroupName;
  readonly id: number;
  /** Whose token is in the path. */
  readonly by: GroupName;
  /** What happens to the table's call. */
  readonly fault: 'none' | 'load' | 'save' | 'answer of save';
}

/** How many slots each group has; 0: it is not in the file. */
export interface Slots {
  readonly default: number;
  readonly database: number;
  readonly atMost: number | undefined;
}

export type Act =
  | { readonly kind: 'ask'; readonly asked: Asked }
  /** In processes of their own, whose calls of the table come in this order. */
  | { readonly kind: 'together'; readonly all: readonly Asked[]; readonly order: readonly number[] }
  | { readonly kind: 'file'; readonly slots: Slots }
  | { readonly kind: 'minutes'; readonly minutes: number };

/** Asks by HTTP, and knows by the answers alone who may be down. */
export function lockCourse(first: Slots) {
  const clock = fakeClock('2026-03-02T10:00:00.000Z');
  const tables = fakeTables();
  let file = first;
  /** Told to reboot, and not heard of since. */
  const down = new Set<string>();
  /** Nobody was told whether they have a slot. */
  const unsure = new Set<string>();
  const broken: string[] = [];
  const secrets = fakeSecrets({ default: ['token-default'], database: ['token-database'] });

  function handler(fault: Asked['fault'], turn: () => Promise<void>) {
    const own = tables.fleetLocks;
    let ahead = fault;
    const fail = (at: Asked['fault']) => {
      if (ahead !== at) return;
      ahead = 'none';
      throw new Transient('the table does not answer');
    };
    const locks: FleetLocks = {
      async load() {
        await turn();
        fail('load');
        return own.load();
      },
      async save(wanted) {
        await turn();
        fail('save');
        const saved = await own.save(wanted);
        fail('answer of save');
        return saved;
      },
    };
    const groups = groupNames.flatMap((name) =>
      file[name] === 0 ? [] : [[name, { slots: file[name], tokenSecret: name }] as const],
    );
    return fleetLock({
      fleetLock: FleetLock.parse({ groups: Object.fromEntries(groups), atMost: file.atMost }),
      locks,
      timeline: tables.timeline,
      secrets,
      clock: clock.now,
      newId: fakeIds(),
      logger: fakeLogger(),
      metrics: fakeMetrics(),
    });
  }

  async function ask({ what, group, id, by, fault }: Asked, turn = async () => {}): Promise<number> {
    const text = ids[id] ?? '';
    const body = what === 'release' ? releaseBody(text, group) : zincatiBody(text, group);
    const path = `/fleet-lock/token-${by}/v1/${what}`;
    const { status } = await answerOf(await handler(fault, turn)(post(path, body, zincatiHeaders)));
    return status;
  }

  /** What an answer says, whatever is stored. */
  function hear({ what, group, id, by }: Asked, status: number): void {
    const machine = `${group}/${id}`;
    const mayAsk = by === group && file[group] > 0;
    if (!mayAsk && status !== 401) broken.push(`${what} ${machine} by ${by} was answered ${status}`);
    if (mayAsk && what === 'pre-reboot') hearOfReboot(machine, status);
    if (mayAsk && what !== 'pre-reboot') hearOfReturn(machine, status);
  }

  function hearOfReboot(machine: string, status: number): void {
    if (status === 423 && down.has(machine)) broken.push(`${machine} has lost its slot`);
    if (status === 200) down.add(machine);
    if (status === 503 && !down.has(machine)) unsure.add(machine);
    if (status !== 503) unsure.delete(machine);
  }

  /** 404: a person had nothing to release. */
  function hearOfReturn(machine: string, status: number): void {
    down.delete(machine);
    if (status === 503) unsure.add(machine);
    else unsure.delete(machine);
  }

  function downIn(group: GroupName): readonly string[] {
    return [...down].filter((machine) => machine.startsWith(`${group}/`));
  }

  /** Who had a slot, or may have had, keeps it, whatever the file says by now. */
  function judge(before: ReadonlySet<string>): void {
    const isNew = [...down].filter((machine) => !before.has(machine));
    const groups = groupNames.filter((group) => file[group] > 0);
    for (const group of groups) {
      const own = isNew.some((machine) => machine.startsWith(`${group}/`));
      if (own && downIn(group).length > file[group]) broken.push(`too many are down in ${group}: ${[...down].join()}`);
    }
    const all = groups.flatMap(downIn).length;
    if (isNew.length > 0 && file.atMost !== undefined && all > file.atMost)
      broken.push(`too many are down: ${[...down].join()}`);
  }

  /** Refused although nobody else can have the slot. */
  function mayRefuse(group: GroupName): boolean {
    const groups = groupNames.filter((name) => file[name] > 0);
    const taken = (name: GroupName) => [...down, ...unsure].filter((each) => each.startsWith(`${name}/`)).length;
    const all = groups.reduce((sum, name) => sum + taken(name), 0);
    const isLastOfOthers = file.atMost !== undefined && all >= file.atMost - 1 && taken(group) > 0;
    return taken(group) >= file[group] || isLastOfOthers || (file.atMost !== undefined && all >= file.atMost);
  }

  async function together(all: readonly Asked[], order: readonly number[]): Promise<readonly number[]> {
    const waiting: (() => void)[] = [];
    let running = all.length;
    const asked = all.map((each) =>
      ask(each, () => new Promise((resolve) => waiting.push(resolve))).finally(() => {
        running -= 1;
      }),
    );
    for (let at = 0; running > 0; at += 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      waiting.splice((order[at % order.length] ?? 0) % Math.max(1, waiting.length), 1)[0]?.();
    }
    return Promise.all(asked);
  }

  async function playAsk(asked: Asked): Promise<void> {
    const before = new Set([...down, ...unsure]);
    const { what, group, by } = asked;
    const may = mayRefuse(group);
    const status = await ask(asked);
    if (what === 'pre-reboot' && by === group && status === 423 && !may) broken.push(`${group} was refused`);
    hear(asked, status);
    judge(before);
  }

  /** Who asks for two things at once does not know what comes of it. */
  async function playTogether(all: readonly Asked[], order: readonly number[]): Promise<void> {
    const before = new Set([...down, ...unsure]);
    const statuses = await together(all, order);
    const machines = all.map(({ group, id }) => `${group}/${id}`);
    const twice = new Set(machines.filter((machine, at) => machines.includes(machine, at + 1)));
    for (const machine of twice) {
      down.delete(machine);
      unsure.add(machine);
    }
    for (const [at, asked] of all.entries()) if (!twice.has(machines[at] ?? '')) hear(asked, statuses[at] ?? 0);
    judge(before);
  }

  async function play(act: Act): Promise<void> {
    switch (act.kind) {
      case 'ask':
        await playAsk(act.asked);
        break;
      case 'together':
        await playTogether(act.all, act.order);
        break;
      case 'file':
        file = act.slots;
        break;
      case 'minutes':
        clock.advance(60 * act.minutes);
        break;
      default:
        act satisfies never;
    }
    await compare();
  }

  /** Who may be down has a slot, and nobody else but of whom it is not known. */
  async function compare(): Promise<void> {
    const { held } = await tables.fleetLocks.load();
    const known: readonly string[] = ids;
    const stored = held.map(({ group, id }) => `${group}/${known.indexOf(id)}`);
    if (new Set(stored).size !== stored.length) broken.push(`one has two slots: ${stored.join()}`);
    for (const machine of down) if (!stored.includes(machine)) broken.push(`${machine} may be down and has no slot`);
    for (const machine of stored)
      if (!down.has(machine) && !unsure.has(machine)) broken.push(`${machine} keeps a slot that it has left`);
  }

  return { play, broken: broken as readonly string[] };
}

function releaseBody(id: string, group: string): string {
  return JSON.stringify({ client_params: { id, group }, reason: 'its disk is broken', by: 'alice' });
}
