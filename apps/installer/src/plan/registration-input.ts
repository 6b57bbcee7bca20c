/** What a registration is planned from: the plan and the files in it ask the same things. */
import type { ConfigFile, ConfigOperation, HarnessDeclaration } from '@openviking/memory-core/full';
import type { ClientSurvey } from '../clients/survey.ts';
import type { DistributedRegistration } from '../distribution/distributed-wiring.ts';
import type { Machine } from '../machine/machine.ts';
import type { ConfigReceipt } from '../receipts/receipt.ts';
import type { RegistrationReceipt } from '../registration/plugin-change.ts';

/** The plugin as it is wanted, and what was there before. */
export interface RegistrationInput {
  readonly machine: Machine;
  readonly client: HarnessDeclaration;
  readonly survey: ClientSurvey;
  readonly registration: DistributedRegistration;
  /** What the declaration itself wants in the rewritten files, and what of other forms goes. */
  readonly files: readonly { readonly file: ConfigFile; readonly surplus: readonly ConfigOperation[] }[];
  readonly old: RegistrationReceipt | undefined;
  readonly configs: readonly ConfigReceipt[];
  /** True when a file of the plugin changes: the client has to be told. */
  readonly filesChange: boolean;
  /** False: what the client has is taken from the receipt and its files; none of its commands runs. */
  readonly asksClient: boolean;
}
