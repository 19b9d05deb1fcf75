from inference.configuration import KvType
from inference.gguf_header import read_facts
from inference.sizes import FlashAttention, flash_attention, kv_by_layer, usable_kv_type
from tests.gguf_files import facts_of, write_tiny_model


def test_the_kv_cache_is_keys_and_values_of_each_layer_and_cell(tmp_path):
    # 2 heads of 8, keys and values of 2 bytes
    assert kv_by_layer(facts_of(tmp_path), 256) == (256 * 2 * 8 * 2 * 2,) * 2
    assert kv_by_layer(facts_of(tmp_path), 257) == (512 * 2 * 8 * 2 * 2,) * 2, "llama.cpp rounds up"


def test_a_quantised_kv_cache_takes_half_where_its_blocks_fit(tmp_path):
    wide = facts_of(tmp_path, attention__key_length=64, attention__value_length=64)
    assert usable_kv_type(wide, KvType.Q8_0) is KvType.Q8_0
    assert sum(kv_by_layer(wide, 256, KvType.Q8_0)) * 32 == sum(kv_by_layer(wide, 256)) // 2 * 34
    assert usable_kv_type(facts_of(tmp_path), KvType.Q8_0) is KvType.F16, "heads of 8 are no blocks of 32"


def test_layers_with_a_sliding_window_hold_that_and_what_is_computed_at_once(tmp_path):
    facts = facts_of(tmp_path, "gemma3", block_count=12, attention__sliding_window=512)
    row = 2 * 8 * 2 * 2
    assert kv_by_layer(facts, 8192) == (*(768 * row,) * 5, 8192 * row) * 2
    assert kv_by_layer(facts, 8192, on_gpu=True) == (*(1024 * row,) * 5, 8192 * row) * 2
    assert kv_by_layer(facts, 256) == (256 * row,) * 12, "a window larger than the context is none"


def test_which_layers_slide_may_stand_in_the_file(tmp_path):
    row = 2 * 8 * 2 * 2
    listed = facts_of(
        tmp_path,
        "gemma4",
        block_count=3,
        attention__sliding_window=256,
        attention__sliding_window_pattern=[1, 0, 1],
        attention__key_length_swa=16,
        attention__value_length_swa=16,
        attention__shared_kv_layers=1,
    )
    assert kv_by_layer(listed, 4096) == (512 * row * 2, 4096 * row, 0), "the last one looks into another's"
    counted = facts_of(
        tmp_path, "cohere2", block_count=4, attention__sliding_window=256, attention__sliding_window_pattern=2
    )
    assert kv_by_layer(counted, 4096) == (512 * row, 4096 * row) * 2
    unknown = facts_of(tmp_path, "unheard-of", attention__sliding_window=256)
    assert kv_by_layer(unknown, 4096) == (4096 * row,) * 2, "rather too much"


def test_layers_that_carry_a_state_take_the_same_at_any_length(tmp_path):
    hybrid = read_facts(write_tiny_model(tmp_path / "h.gguf", architecture="jamba", block_count=3))
    state = ((4 - 1) * 64 + 64 * 4) * 4  # what is convolved, and the state, in single precision
    assert kv_by_layer(hybrid, 256) == (state, state, 256 * 2 * 8 * 2 * 2)
    assert kv_by_layer(hybrid, 512) == (state, state, 512 * 2 * 8 * 2 * 2)
    recurrent = read_facts(write_tiny_model(tmp_path / "m.gguf", architecture="mamba"))
    assert kv_by_layer(recurrent, 256) == kv_by_layer(recurrent, 8192) == (state, state)


def test_every_so_manyth_layer_attends_where_the_file_says_so(tmp_path):
    facts = facts_of(
        tmp_path,
        "qwen3next",
        block_count=4,
        full_attention_interval=2,
        ssm__conv_kernel=4,
        ssm__inner_size=64,
        ssm__state_size=4,
        ssm__group_count=1,
    )
    state, row = (3 * (64 + 2 * 4) + 64 * 4) * 4, 2 * 8 * 2 * 2
    assert kv_by_layer(facts, 256) == (state, 256 * row) * 2


def test_latent_attention_keeps_one_narrow_row_a_layer(tmp_path):
    facts = facts_of(tmp_path, attention__kv_lora_rank=16)
    assert kv_by_layer(facts, 256) == (256 * (16 + 8) * 2,) * 2


def test_narrow_heads_do_without_flash_attention_on_a_cpu_alone(tmp_path):
    narrow = facts_of(tmp_path, attention__key_length=64, attention__value_length=64)
    wide = facts_of(tmp_path, attention__key_length=128, attention__value_length=128)
    assert flash_attention(narrow, 4096, KvType.F16, on_gpu=False) is FlashAttention.OFF
    assert flash_attention(narrow, 4096, KvType.F16, on_gpu=True) is FlashAttention.AUTO
    assert flash_attention(narrow, 4096, KvType.Q8_0, on_gpu=False) is FlashAttention.AUTO, "it is needed for that"
    assert flash_attention(narrow, 2**20, KvType.F16, on_gpu=False) is FlashAttention.AUTO, "its scores would not fit"
    assert flash_attention(wide, 4096, KvType.F16, on_gpu=False) is FlashAttention.AUTO
