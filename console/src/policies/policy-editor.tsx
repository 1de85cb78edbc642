import { Alert, Button, Checkbox, SegmentedControl, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ValueOf } from '../api/call.ts';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { DialogBoundary } from '../design/dialog.tsx';
import { Failure, QueryFailure } from '../design/failure.tsx';
import { useTexts } from '../language/language.ts';
import { locksOut, PolicyConsequences, type PolicyPreview } from './policy-consequences.tsx';
import { editorTexts } from './editor-texts.ts';
import classes from './policies.module.css';
import { PolicyConflict } from './policy-conflict.tsx';
import {
  fromText,
  type PolicyDraft,
  type StoredPolicy,
  TEXT_FIELDS,
  type TextField,
  toText,
} from './policy-draft.ts';
import { PolicyForm } from './policy-form.tsx';
import { policyTexts } from './policy-texts.ts';
import { type PolicyEditing, usePolicyEditing } from './use-policy-editing.ts';

interface PolicyEditorProps {
  readonly names: ValueOf<'/admin/policy/names'>;
  /** Null: a new policy. */
  readonly stored: StoredPolicy | null;
  readonly mayWrite: boolean;
  /** An action that is proposed, and not stored yet. */
  readonly added?: string | undefined;
}

/** Edits a policy. The server checks it as it is typed, and tells what follows before it is stored. */
export function PolicyEditor({ names, stored, mayWrite, added }: PolicyEditorProps): ReactNode {
  const t = useTexts(editorTexts);
  const editing = usePolicyEditing(stored, added);
  const { draft, setDraft, errorOf, preview, isChecked, revision } = editing;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        editing.submit();
      }}
    >
      {added !== undefined && <Alert color="blue">{t.added(added)}</Alert>}
      <DraftFields
        {...{ names, draft, errorOf, revision }}
        isNamed={stored !== null}
        onChange={setDraft}
        onReadable={editing.setReadable}
      />
      <Messages editing={editing} />
      {mayWrite && (
        <div>
          <Button type="submit" disabled={!isChecked} loading={editing.isSaving}>
            {t.save}
          </Button>
        </div>
      )}
      {editing.isAsking && preview.data !== undefined && (
        <DialogBoundary onClose={editing.cancel}>
          <SaveDialog preview={preview.data} onConfirm={editing.confirm} onCancel={editing.cancel} />
        </DialogBoundary>
      )}
    </form>
  );
}

/** The server's findings on the draft, and the outcome of storing it. */
function Messages({ editing }: { readonly editing: PolicyEditing }): ReactNode {
  const t = useTexts(editorTexts);
  const { preview, conflict, draft, isRefused } = editing;
  return (
    <>
      {preview.data !== undefined && <UnknownNames names={preview.data.unknown_names} />}
      {preview.data?.problems.length === 0 && <PolicyConsequences consequences={preview.data.consequences} />}
      {isRefused && <Alert color="red" role="alert" title={t.fix} />}
      <QueryFailure query={preview} />
      <Failure error={editing.failure} />
      {conflict !== undefined && (
        <PolicyConflict
          draft={draft}
          stored={conflict.stored}
          onKeep={editing.keepMine}
          onTake={editing.takeTheirs}
        />
      )}
    </>
  );
}

interface DraftFieldsProps {
  readonly names: ValueOf<'/admin/policy/names'>;
  readonly draft: PolicyDraft;
  readonly isNamed: boolean;
  readonly errorOf: (field: TextField) => string | undefined;
  readonly revision: number;
  readonly onChange: (draft: PolicyDraft) => void;
  readonly onReadable: (isReadable: boolean) => void;
}

/** The fields as a form, or as one text. */
function DraftFields(props: DraftFieldsProps): ReactNode {
  const t = useTexts(editorTexts);
  const [isText, setText] = useState(false);
  return (
    <>
      <SegmentedControl
        transitionDuration={0}
        className={classes.choice}
        aria-label={t.view}
        value={isText ? 'text' : 'form'}
        data={[
          { value: 'form', label: t.form },
          { value: 'text', label: t.text },
        ]}
        onChange={(view) => {
          setText(view === 'text');
          // The form has the draft of before.
          props.onReadable(true);
        }}
      />
      {isText ? <DraftText key={props.revision} {...props} /> : <PolicyForm {...props} />}
    </>
  );
}

function DraftText({ draft, isNamed, errorOf, onChange, onReadable }: DraftFieldsProps): ReactNode {
  const t = useTexts(editorTexts);
  const [text, setText] = useState(() => toText(draft));
  const read = fromText(text);
  return (
    <Textarea
      label={t.text}
      value={text}
      rows={9}
      error={
        'wrong' in read ? t.wrongLine(read.wrong) : TEXT_FIELDS.map(errorOf).find((one) => one !== undefined)
      }
      onChange={(event) => {
        const written = event.currentTarget.value;
        setText(written);
        const next = fromText(written);
        onReadable(!('wrong' in next));
        if (!('wrong' in next)) {
          onChange(isNamed ? { ...next, name: draft.name } : next);
        }
      }}
    />
  );
}

function UnknownNames({ names }: { readonly names: PolicyPreview['unknown_names'] }): ReactNode {
  const t = useTexts(editorTexts);
  return (
    names.length > 0 && (
      <Alert color="yellow" role="status" title={t.unknownNames}>
        {names.map(({ name }) => (
          <p key={name}>{name}</p>
        ))}
      </Alert>
    )
  );
}

interface SaveDialogProps {
  readonly preview: PolicyPreview;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks before a policy is stored; a lock-out must be confirmed. */
function SaveDialog({ preview, onConfirm, onCancel }: SaveDialogProps): ReactNode {
  const t = useTexts(editorTexts);
  const { understood } = useTexts(policyTexts);
  const [isUnderstood, setUnderstood] = useState(false);
  const mustConfirm = locksOut(preview.consequences);
  return (
    <ConfirmDialog
      title={t.confirm}
      action={t.save}
      isDangerous={mustConfirm}
      isDisabled={mustConfirm && !isUnderstood}
      {...{ onConfirm, onCancel }}
    >
      <PolicyConsequences consequences={preview.consequences} />
      {mustConfirm && (
        <Checkbox
          mt="md"
          label={understood}
          checked={isUnderstood}
          onChange={(event) => {
            setUnderstood(event.currentTarget.checked);
          }}
        />
      )}
    </ConfirmDialog>
  );
}
