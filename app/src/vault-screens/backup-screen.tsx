import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { useChanges } from '../shell/services.ts';
import { backupTexts } from './backup-texts.ts';
import { judgeBackupPassphrase } from '../vault/pin-strength.ts';
import { ProofForm } from './proof-form.tsx';
import { RestoreForm } from './restore-form.tsx';
import { saveFile } from './save-file.ts';
import type { ProtectedVault } from '../vault/vault.ts';
import { vaultTexts } from './vault-texts.ts';
import { useOutcomeTexts, useVaultWork } from './vault-work.ts';

/** Making and restoring backups. @param top the content that the shell shows above */
export function BackupScreen({
  vault,
  top,
}: {
  vault: ProtectedVault;
  top?: ComponentChildren;
}): JSX.Element {
  const texts = useTexts(backupTexts);
  useChanges(vault);
  return (
    <Screen title={texts.title}>
      {top}
      <section class="actions">
        <h2>{texts.make}</h2>
        <p>{texts.makeText}</p>
        <MakeBackup vault={vault} />
      </section>
      <section class="actions">
        <h2>{texts.restore}</h2>
        <p>{texts.restoreText}</p>
        <RestoreForm vault={vault} />
      </section>
    </Screen>
  );
}

function MakeBackup({ vault }: { vault: ProtectedVault }): JSX.Element {
  const texts = useTexts(backupTexts);
  const { passphraseReasons, notTheSame } = useTexts(vaultTexts);
  const [passphrase, setPassphrase] = useState('');
  const [repeated, setRepeated] = useState('');
  const work = useVaultWork();
  const explain = useOutcomeTexts();
  const { strength, reason } = judgeBackupPassphrase(passphrase);
  const isRefused = strength === 'refused';
  return (
    <ProofForm
      vault={vault}
      work={work}
      pinLabel={texts.pin}
      action={texts.save}
      isReady={!isRefused && passphrase === repeated}
      onProof={(proof) => {
        work.run(async () => {
          const outcome = await vault.exportBackup(proof, passphrase);
          if (outcome.kind !== 'file') {
            return explain(outcome);
          }
          saveFile(`tankeeper-backup-${new Date().toISOString().slice(0, 10)}.json`, outcome.text);
          setPassphrase('');
          setRepeated('');
          await vault.changeSettings({ backupSettledAt: Date.now() });
          return { kind: 'success', text: texts.saved };
        });
      }}
    >
      <Field
        label={texts.newPassphrase}
        hint={texts.passphraseHint}
        type="password"
        autocomplete="new-password"
        value={passphrase}
        error={isRefused && passphrase.length >= 12 ? passphraseReasons[reason] : undefined}
        onValue={setPassphrase}
      />
      {strength === 'weak' && <Notice kind="info">{passphraseReasons[reason]}</Notice>}
      <Field
        label={texts.repeatPassphrase}
        type="password"
        autocomplete="new-password"
        value={repeated}
        error={repeated.length >= passphrase.length && repeated !== passphrase ? notTheSame : undefined}
        onValue={setRepeated}
      />
    </ProofForm>
  );
}
