"""What reads prompts: a model's vocabulary and chat template, without its weights."""

from __future__ import annotations

from inference.llama.library import llama
from inference.llama.vocabulary import LlamaVocabulary


class LlamaReader:
    """Owns a model that was loaded for its vocabulary alone. Nothing may be asked after `close`."""

    def __init__(self, model: int, template: str | None) -> None:
        self._model: int | None = model
        self.vocabulary = LlamaVocabulary(llama.llama_model_get_vocab(model))
        self.chat_template = template

    @property
    def template_tokens(self) -> dict[str, str]:
        pointer = llama.llama_model_get_vocab(self._model)
        return {
            "bos_token": self.vocabulary.text_of(llama.llama_vocab_bos(pointer)),
            "eos_token": self.vocabulary.text_of(llama.llama_vocab_eos(pointer)),
        }

    def close(self) -> None:
        """Free the vocabulary. Closing twice is fine."""
        model, self._model = self._model, None
        self.vocabulary.close()
        if model is not None:
            llama.llama_model_free(model)
