import { fileURLToPath } from 'node:url';
import { type Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type IGrantable, type IPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ApplicationLogLevel, Architecture, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { type ICommandHooks, LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The folders under functions/ that are deployed; each has a `lambda.ts` that exports `handler`. */
export type Entry =
  | 'receive-github'
  | 'receive-argocd'
  | 'receive-cluster'
  | 'handshake'
  | 'keep-pools'
  | 'send-alerts'
  | 'status'
  | 'watch-ticks';

export interface KeeperFunctionProps {
  readonly entry: Entry;
  /** One sentence for the console. */
  readonly description: string;
  readonly settings: Settings;
  /** MiB. Lambda gives one full virtual CPU at 1,769 MiB and a share of it below. Source: AWS Lambda, "Configure memory". */
  readonly memorySize: number;
  readonly timeout: Duration;
  readonly environment: Readonly<Record<string, string>>;
  /** The checked configuration as JSON; copied beside the handler of a function that needs it. */
  readonly configurationFile?: string | undefined;
}

/** One function of the house: the bundle, its own log group and a role that may do nothing but write there and trace,
 *  until the stack grants it more. */
export class KeeperFunction extends Construct implements IGrantable {
  readonly entry: Entry;
  readonly timeout: Duration;
  readonly fn: NodejsFunction;
  readonly logs: LogGroup;
  readonly grantPrincipal: IPrincipal;

  constructor(scope: Construct, id: string, props: KeeperFunctionProps) {
    super(scope, id);
    const { entry, settings } = props;
    const house = Stack.of(this).stackName;
    this.entry = entry;
    this.timeout = props.timeout;
    this.logs = new LogGroup(this, 'Logs', {
      logGroupName: `/${house}/${entry}`,
      retention: settings.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Not the role that CDK would make: its managed policy may write to every log group of the account.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `What ${entry} of ${house} may do`,
    });
    this.logs.grantWrite(role);
    this.grantPrincipal = role.grantPrincipal;
    this.fn = new NodejsFunction(this, 'Function', {
      functionName: `${house}-${entry}`,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      entry: `${repository}functions/${entry}/lambda.ts`,
      handler: 'handler',
      projectRoot: repository,
      depsLockFilePath: `${repository}package-lock.json`,
      memorySize: props.memorySize,
      timeout: props.timeout,
      role,
      logGroup: this.logs,
      loggingFormat: LoggingFormat.JSON,
      // Lambda filters by its own level, which would otherwise be INFO whatever the logger is told.
      applicationLogLevelV2: ApplicationLogLevel[settings.logLevel],
      tracing: Tracing.ACTIVE,
      environment: {
        POOLKEEPER_STAGE: settings.stage,
        POWERTOOLS_LOG_LEVEL: settings.logLevel,
        NODE_OPTIONS: '--enable-source-maps',
        ...props.environment,
      },
      bundling: {
        format: OutputFormat.ESM,
        target: 'node24',
        // Without it the AWS SDK resolves to CommonJS: half as large again, and failures at run time (aws-cdk issue 29310).
        mainFields: ['module', 'main'],
        // A CommonJS dependency that requires a built-in of Node finds no `require` in an ES module.
        banner: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
        minify: true,
        keepNames: true,
        sourceMap: true,
        sourcesContent: false,
        // The SDK of the runtime changes under us; ours is the one that the tests ran.
        bundleAwsSDK: true,
        logLevel: LogLevel.WARNING,
        ...(props.configurationFile && { commandHooks: copyBeside(props.configurationFile) }),
      },
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'X-Ray takes no resource in xray:PutTraceSegments and xray:PutTelemetryRecords; nothing else is granted on "*".',
    });
  }

  /** Failed invocations. */
  errors(period: Duration): Metric {
    return this.fn.metricErrors({ period, statistic: 'Sum' });
  }

  /** Invocations that Lambda refused for want of concurrency. */
  throttles(period: Duration): Metric {
    return this.fn.metricThrottles({ period, statistic: 'Sum' });
  }

  invocations(period: Duration): Metric {
    return this.fn.metricInvocations({ period, statistic: 'Sum' });
  }

  /** The slowest invocation, in milliseconds. */
  slowestMs(period: Duration): Metric {
    return this.fn.metricDuration({ period, statistic: 'Maximum' });
  }
}

/** Copies the configuration into the bundle under the name that functions/shell/ reads by default. */
function copyBeside(file: string): ICommandHooks {
  return {
    beforeBundling: () => [],
    beforeInstall: () => [],
    afterBundling: (_inputDir, outputDir) => [`cp ${quoted(file)} ${quoted(`${outputDir}/poolkeeper.json`)}`],
  };
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
