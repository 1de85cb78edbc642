import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.ts';
import { designTexts } from './design-texts.ts';

interface DialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Mantine's `<header>` would be a second banner of the page (axe, landmark-no-duplicate-banner). */
const NO_BANNER = { component: 'div' };

/** A dialog above the page. */
export function Dialog({ isOpen, title, onClose, children }: DialogProps): ReactNode {
  const t = useTexts(designTexts);
  return (
    <Modal.Root opened={isOpen} onClose={onClose} lockScroll={false}>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Header {...NO_BANNER}>
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label={t.close} />
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
