import { CfnResource, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { stage } from './synthesised.ts';

describe.each(['dev', 'prod'] as const)('cdk-nag on %s', (name) => {
  const { app } = stage(name);

  it('[C-7] has no finding that is not acknowledged', () => {
    const report = new AwsSolutionsChecks(app).validateScope(app);

    expect(report.violations).toEqual([]);
  });

  it('[C-7] has no acknowledgement that acknowledges nothing, and each gives a reason', () => {
    const findings = findingsOf(app);

    const acknowledged = app.node.findAll().flatMap(acknowledgementsOf);

    for (const { path, id, reason } of acknowledged) {
      expect(reason.length, `${path} ${id}`).toBeGreaterThan(40);
      expect(
        findings.some((finding) => finding.id === id && finding.path.startsWith(path)),
        `${path} acknowledges ${id}, which is not found there`,
      ).toBe(true);
    }
    expect(acknowledged.length).toBeGreaterThan(0);
  });

  it('acknowledges next to the resource, never for the whole stack', () => {
    const wide = app.node
      .findAll()
      .filter((node) => node.node.path.split('/').length < 3 && !CfnResource.isCfnResource(node))
      .flatMap(acknowledgementsOf);

    expect(wide).toEqual([]);
  });
});

interface Acknowledged {
  readonly path: string;
  readonly id: string;
  readonly reason: string;
}

function acknowledgementsOf(node: IConstruct): readonly Acknowledged[] {
  return node.node.metadata
    .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
    .flatMap(({ data }) => Object.entries(data as Record<string, string>))
    .map(([id, reason]) => ({ path: node.node.path, id: id.replace(/^annotation::/i, ''), reason }));
}

/** Everything that cdk-nag finds when no acknowledgement counts. */
function findingsOf(scope: IConstruct): readonly { readonly path: string; readonly id: string }[] {
  const strict = new AwsSolutionsChecks(scope);
  Object.assign(strict, { isAcknowledged: () => false });
  return strict
    .validateScope(scope)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => ({ id: ruleName, path: constructPath ?? '' })),
    );
}
