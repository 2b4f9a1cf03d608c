from plants import PlantError, Plants

plants = Plants("http://127.0.0.1:3000", "demo-token")
try:
    plants.create(7, "Monstera", "indoor")
except PlantError as failure:
    if failure.error != 40003:  # duplicate_id
        raise
print([plant["name"] for plant in plants.list()])
plants.delete(7)
