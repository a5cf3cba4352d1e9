import { Component, type ComponentChildren } from "preact";
import { EmptyState } from "./states.tsx";

interface BoundaryProps {
  /** What is drawn: another value is tried again. */
  of: unknown;
  /** Shown in place of what could not be drawn. */
  instead: ComponentChildren;
  children: ComponentChildren;
}

/** Keeps a part that cannot be drawn from taking the page with it. */
export class Boundary extends Component<BoundaryProps, { broken?: { of: unknown } }> {
  override componentDidCatch(error: unknown) {
    console.error(error);
    this.setState({ broken: { of: this.props.of } });
  }

  override render() {
    const { of, instead, children } = this.props;
    const { broken } = this.state;
    return broken !== undefined && broken.of === of ? instead : children;
  }
}

export const Reload = () => (
  <EmptyState title="Não foi possível mostrar esta tela.">
    <p class="more">Recarregue a página. Se acontecer de novo, avise quem cuida do sistema.</p>
    <button type="button" class="quiet" onClick={() => location.reload()}>
      Recarregar
    </button>
  </EmptyState>
);
