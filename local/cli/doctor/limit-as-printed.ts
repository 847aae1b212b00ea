import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { admissionLimitObjects, limitNames } from '../../manifests/admission-limit.ts';
import { type Account, userNameOf } from '../../manifests/kube-object.ts';
import type { PolicyContent } from './check-admission.ts';

/** A policy that limits an account, by its name. */
export interface NamedLimit extends PolicyContent {
  readonly limit: string;
  /** Namespace of the account; two installations may share a cluster. */
  readonly home: string;
}

/** Whether a policy limits its account as it is printed for some choice of pools, labels, audiences and lifetime of
 *  tokens, which it says itself. Messages may differ. */
export function isLimitAsPrinted(seen: NamedLimit): boolean {
  return optionsAsPrinted(seen) !== undefined;
}

/** That choice; undefined: it is not as printed for any. */
export function optionsAsPrinted(seen: NamedLimit): Options | undefined {
  const account = accountIn(seen);
  if (account === undefined || seen.isNarrowed || seen.failurePolicy !== 'Fail') return undefined;
  const content = contentOf(seen);
  return optionsOf(seen, account).find((options) => {
    const name = `${account.namespace}-${seen.limit}`;
    const printed = admissionLimitObjects(options).find(({ metadata }) => metadata.name === name);
    const spec = Printed.safeParse(printed?.['spec']).data;
    return (
      spec !== undefined &&
      isDeepStrictEqual(
        content,
        contentOf({
          resourceRules: spec.matchConstraints.resourceRules,
          matchConditions: spec.matchConditions,
          validations: spec.validations,
        }),
      )
    );
  });
}

const Conditions = z.array(z.object({ name: z.string(), expression: z.string() }));
const Validations = z.array(z.object({ expression: z.string() }));
const Printed = z.object({
  matchConstraints: z.object({ resourceRules: z.unknown() }),
  matchConditions: Conditions,
  validations: Validations,
});

/** The API server adds the scope. */
const Rules = z.array(z.looseObject({ scope: z.string().default('*') }));

function contentOf(content: Pick<PolicyContent, 'resourceRules' | 'matchConditions' | 'validations'>): unknown {
  return {
    resourceRules: Rules.safeParse(content.resourceRules).data,
    matchConditions: content.matchConditions.map(({ name, expression }) => ({ name, expression })),
    expressions: expressionsOf(content),
  };
}

function expressionsOf({ validations }: Pick<PolicyContent, 'validations'>): readonly string[] {
  return (Validations.safeParse(validations).data ?? []).map(({ expression }) => expression);
}

/** The account of the installation by which the policy is named. */
function accountIn({ home, matchConditions }: NamedLimit): Account | undefined {
  const [, user = ''] = /^request\.userInfo\.username == "([^"\\]*)"$/.exec(matchConditions[0]?.expression ?? '') ?? [];
  const account = { namespace: home, name: user.slice(userNameOf({ namespace: home, name: '' }).length) };
  return account.name !== '' && userNameOf(account) === user ? account : undefined;
}

type Options = Parameters<typeof admissionLimitObjects>[0];

function optionsOf(seen: NamedLimit, account: Account): readonly Options[] {
  const expressions = expressionsOf(seen);
  const plain: Options = { account, pools: [] };
  switch (seen.limit) {
    case limitNames.tokens: {
      const [seconds = ''] = firstOf(expressions, /expirationSeconds <= (\d+)\)$/);
      const audiences = listIn(expressions, /\.all\(a, a in (\[.*\])\)\)$/);
      return [{ ...plain, tokenHours: Number(seconds) / 3600, audiences }];
    }
    case limitNames.pools: {
      const pools = listIn(
        expressions,
        /^request\.operation != "UPDATE" \|\| \(object\.metadata\.name in (\[[^\]]*\])\)$/,
      );
      const selectors = listIn(expressions, /\(\(object\.metadata\.name in (\[[^\]]*\]) && /);
      return [{ ...plain, pools, canaries: { labels: [], selectors } }];
    }
    case limitNames.nodes: {
      const labels = listIn(expressions, /object\.metadata\.labels\.all\(k, k in (\[[^\]]*\])/);
      return [{ ...plain, letsNodesGo: true, canaries: { labels, selectors: [] } }];
    }
    default:
      return [
        { ...plain, guardsSyncs: true, pausesHealthChecks: true },
        { ...plain, restartsSyncs: true },
        { ...plain, restartsSyncs: true, guardsSyncs: true },
      ];
  }
}

/** What the first expression has there that has it. */
function firstOf(expressions: readonly string[], pattern: RegExp): readonly string[] {
  return expressions.flatMap((each) => pattern.exec(each)?.slice(1) ?? []).slice(0, 1);
}

function listIn(expressions: readonly string[], pattern: RegExp): readonly string[] {
  const [text = '[]'] = firstOf(expressions, pattern);
  return Names.safeParse(parse(text)).data ?? [];
}

const Names = z.array(z.string());

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
